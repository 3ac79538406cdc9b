'use strict';
// Draws the two charts from the data element; nothing here is taken from requests or responses.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const charts = [];
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const ms = (v) => v < 1000 ? `${v} ms` : v < 60000 ? `${+(v / 1000).toFixed(2)} s`
    : `${Math.floor(v / 60000)}m ${String(Math.round(v % 60000 / 1000)).padStart(2, '0')}s`;
  const count = (v) => Number.isInteger(v) ? v.toLocaleString('en').replaceAll(',', ' ') : '';

  function options(extra) {
    return {
      responsive: true, maintainAspectRatio: false, animation: false,
      interaction: {mode: 'index', intersect: false},
      ...extra,
      plugins: {legend: {display: false}, ...extra.plugins},
    };
  }
  function axis(title, extra = {}) {
    return {
      title: {display: true, text: title, color: css('--muted')},
      ticks: {color: css('--muted'), maxRotation: 0, autoSkipPadding: 14, ...extra.ticks},
      grid: {color: css('--line'), display: extra.grid !== false},
      border: {display: false}, stacked: extra.stacked, beginAtZero: true,
    };
  }
  const bars = {barPercentage: 1, categoryPercentage: 0.92};

  function latency() {
    const rows = data.latency;
    return new Chart(document.getElementById('latency'), {
      type: 'bar',
      data: {
        labels: rows.map(([low]) => ms(low)),
        datasets: [{label: 'requests', data: rows.map((r) => r[2]),
                    backgroundColor: css('--bar'), ...bars}],
      },
      options: options({
        plugins: {tooltip: {callbacks: {title: ([item]) => {
          const [low, high] = rows[item.dataIndex];
          return low === high ? ms(low) : `${ms(low)} to ${ms(high)}`;
        }}}},
        scales: {x: axis('latency', {grid: false}), y: axis('requests', {ticks: {callback: count}})},
      }),
    });
  }

  function timeLine() {
    const rows = data.time_line;
    const series = [['success', '--good'], ['gave up', '--bad'], ['retries', '--retry']];
    return new Chart(document.getElementById('time_line'), {
      type: 'bar',
      data: {
        labels: rows.map((_, i) => ms(i * data.bucket_ms)),
        datasets: series.map(([label, color], i) => ({
          label, data: rows.map((r) => r[i]), backgroundColor: css(color), stack: 'ends', ...bars,
        })),
      },
      options: options({
        plugins: {legend: {display: true, position: 'bottom',
                           labels: {color: css('--ink'), boxWidth: 12}}},
        scales: {
          x: axis('since the start', {grid: false, stacked: true}),
          y: axis(`per ${ms(data.bucket_ms)}`, {ticks: {callback: count}, stacked: true}),
        },
      }),
    });
  }

  function draw() {
    while (charts.length) charts.pop().destroy();
    charts.push(latency(), timeLine());
  }
  draw();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
})();
