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
      min: extra.min, max: extra.max,
    };
  }
  const bars = {barPercentage: 1, categoryPercentage: 0.92};

  function latency(canvas) {
    const buckets = data.latency;
    return new Chart(canvas, {
      type: 'bar',
      data: {
        labels: buckets.map(([low]) => ms(low)),
        datasets: [{label: 'requests', data: buckets.map((b) => b[2]),
                    backgroundColor: css('--bar'), ...bars}],
      },
      options: options({
        plugins: {tooltip: {callbacks: {title: ([item]) => {
          const [low, high] = buckets[item.dataIndex];
          return low === high ? ms(low) : `${ms(low)} to ${ms(high)}`;
        }}}},
        scales: {x: axis('latency', {grid: false}), y: axis('requests', {ticks: {callback: count}})},
      }),
    });
  }

  function timeLine(canvas) {
    const series = [['success', '--good'], ['gave up', '--bad']];
    return new Chart(canvas, {
      type: 'bar',
      data: {
        labels: data.time_line.map((_, i) => ms(i * data.bucket_ms)),
        datasets: series.map(([label, color], i) => ({
          label, data: data.time_line.map((b) => b[i]), backgroundColor: css(color), stack: 'ends',
          ...bars,
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

  // A bar from one end of the interval to the other, and the mean as a dot.
  function scores(canvas) {
    canvas.parentElement.style.height = `${90 + 34 * data.scores.length}px`;
    return new Chart(canvas, {
      data: {
        labels: data.scores.map((s) => s[0]),
        datasets: [
          {type: 'line', label: 'mean', showLine: false, pointRadius: 5, pointHoverRadius: 6,
           data: data.scores.map((s) => s[1]), backgroundColor: css('--ink'),
           borderColor: css('--ink')},
          {type: 'bar', label: '95 % interval', data: data.scores.map((s) => [s[2], s[3]]),
           backgroundColor: css('--bar'), barThickness: 12},
        ],
      },
      options: options({
        indexAxis: 'y',
        plugins: {tooltip: {callbacks: {label: (item) => {
          const [, mean, low, high] = data.scores[item.dataIndex];
          return item.datasetIndex === 0 ? `mean ${score(mean)}` : `${score(low)} to ${score(high)}`;
        }}}},
        scales: {x: axis('score', {min: 0, max: 1}), y: {...axis('', {grid: false}),
                                                         title: {display: false}}},
      }),
    });
  }

  const charts = [];
  function draw() {
    while (charts.length) charts.pop().destroy();
    for (const [id, chart] of Object.entries({latency, time_line: timeLine, scores})) {
      const canvas = document.getElementById(id);
      if (canvas) charts.push(chart(canvas));
    }
  }
  draw();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  // Paper is white, and narrower than the window.
  addEventListener('beforeprint', () => { for (const chart of charts) chart.resize(); draw(); });
  addEventListener('afterprint', draw);
