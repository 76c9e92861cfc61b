/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The page of a bench, and the choice between the pages. */

const USUAL_CHUNK = 128;
const MICROS = { name: 'µs', scale: 1 };

/* First and last point of each. */
function ends(series, unit)
{
    return series.map(({ name, points }) => `${name}: ` + [points[0], points[points.length - 1]].map(([size, value]) =>
        `${short(value)} ${unit} at ${bytes(size)}`).join(', ')).join('; ');
}

/* Rows by another chunk than the usual one are in the table alone: they are of one size. */
function lineOf({ operation, chunk_rows: chunk })
{
    return chunk === undefined || chunk === USUAL_CHUNK ? operation : null;
}

/* values: from a result to what its operation's line shows. */
function linesOf(results, names, value)
{
    return names.map((name, i) => ({ name, style: STYLES[i], isLine: true, points: results
        .filter((result) => lineOf(result) === name).map((result) => [result.bytes, value(result)]) }));
}

function limitName({ limit })
{
    return limit.replace('_', ' ');
}

function benchHead(data, rates, latencies)
{
    const best = rates.reduce((a, b) => a.GBps > b.GBps ? a : b);
    const adds = data.results.filter((result) => result.million_per_second !== undefined);
    document.getElementById('head').append(
        ...interruption(data, 'the rest was not measured'),
        facts([['Transport', transportText({ ...data, name: data.transport })],
            ['Memory', `${data.memory_kind}, cold, regions of ${bytes(data.region_bytes)}, between two processes of ` +
                'one host' + (data.devices ? `, devices ${data.devices.join(' and ')}` : '')]]),
        sums([[`best rate: ${best.operation} of ${bytes(best.bytes)}`, short(best.GBps), 'GB/s'],
            [`${limitName(data)} beside it`, short(best[data.limit + '_GBps']), 'GB/s'],
            ...latencies.slice(0, 1).map((result) =>
                [`put to seen, median, ${bytes(result.bytes)}`, short(result.micros.p50), 'µs']),
            ...adds.map((result) => [result.operation, short(result.million_per_second), 'million/s'])]));
}

function benchRates(data, rates)
{
    const limit = limitName(data);
    const limitOf = (result) => result[data.limit + '_GBps'];
    const partOf = (result) => result['of_' + data.limit];
    const names = [...new Set(rates.map((result) => result.operation))];
    const x = named(sizes(rates.map((result) => result.bytes)), 'message size');
    const ours = linesOf(rates, names, (result) => result.GBps);
    const copies = linesOf(rates, names.slice(0, 1), limitOf)
        .map((line) => ({ ...line, name: limit + ' beside ' + line.name, style: 'reference' }));
    const all = [...ours, ...copies];
    section('Rate over message size', 'Best of four passes through a region, pass by pass in turn with ' +
        (data.devices ? 'a whole region that is put to the peer at once.' : 'a copy in memory as large.'), figure((width) => linePlot(width, { name: 'Rate over message size', x,
        y: named(fitting(valuesOf(all), 5), 'GB/s'), series: all, description: ends(all, 'GB/s') }),
    table('Rates', [{ name: 'operation' }, { name: 'size', unit: 'B', digits: 0 },
        ...['rate', limit].map((name) => ({ name, unit: 'GB/s', digits: 3 })), { name: 'of ' + limit, digits: 3 }],
    rates.map((result) => [result.operation + (result.chunk_rows ? ' by ' + result.chunk_rows : ''), result.bytes,
        result.GBps, limitOf(result), partOf(result)])),
    legend(all)));
    const parts = linesOf(rates, names, partOf);
    section('Rate beside ' + limit, 'Each rate divided by that of the limit measured in turns with it.',
        figure((width) => linePlot(width, { name: 'Rate beside ' + limit, description: ends(parts, 'of ' + limit), x,
            y: named(zeroBased(Math.max(1, ...valuesOf(parts)), 5), 'of ' + limit), series: parts,
            limit: { value: 1, name: 'as fast as ' + limit } }), null, legend(parts)));
}

function benchLatencies(latencies)
{
    const levels = [['p50', 'median'], ['p90', '90th percentile'], ['p99', '99th percentile'],
        ['p99_9', '99.9th percentile'], ['max', 'greatest']];
    const lines = levels.filter(([key]) => ['p50', 'p99', 'p99_9'].includes(key)).map(([key, name], i) => ({ name,
        style: STYLES[i], isLine: true, points: latencies.map((result) => [result.bytes, result.micros[key]]) }));
    section('Latency over message size', 'From put, fence and add until the other process has seen the add: half of ' +
        'the time until its answer.', figure((width) => linePlot(width, { name: 'Latency over message size',
        series: lines, x: named(sizes(latencies.map((result) => result.bytes)), 'message size'),
        y: named(fitting(valuesOf(lines), 5), 'µs'), description: ends(lines, 'µs') }),
    table('Latencies', [{ name: 'size', unit: 'B', digits: 0 },
        ...levels.map(([, name]) => ({ name, unit: 'µs', digits: 3 }))],
    latencies.map((result) => [result.bytes, ...levels.map(([key]) => result.micros[key])])), legend(lines)));
    /* As many sizes as there are styles, from the least to the greatest. */
    const shown = [...new Set(STYLES.map((_, i) => Math.round(i * (latencies.length - 1) / (STYLES.length - 1))))];
    const curves = shown.map((at, i) => ({ name: bytes(latencies[at].bytes), style: STYLES[i], isLine: true,
        points: latencies[at].micros.percentiles }));
    const samples = latencies[0].round_trips;
    const said = curves.map(({ name, points }) => `${name}: greatest ${short(points[points.length - 1][1])} µs`);
    percentileSection('Latency by percentile', `So many percent of ${fixed(samples, 0)} took no longer.`, curves,
        samples, MICROS, said.join('; '));
}

function benchCalls(calls)
{
    const levels = [['p50', 'median'], ['p90', '90th percentile'], ['p99', '99th percentile'], ['max', 'greatest']];
    section('Low-latency calls', `Dispatch and combine between ${calls.ranks} ranks, hidden ${calls.hidden}, BF16, ` +
        `top-${calls.topk} of ${calls.experts} experts: the slowest rank of each call. Beside them what the bytes of a ` +
        `call take at the least: an exchange between all ranks takes ${short(calls.exchange_micros)} µs and carries ` +
        `${short(calls.exchange_GBps)} GB/s from each, a copy ${short(calls.copy_GBps)} GB/s.`,
    table('Times of low-latency calls', [{ name: 'call' }, { name: 'tokens', digits: 0 },
        ...levels.map(([, name]) => ({ name, unit: 'µs', digits: 1 })), { name: 'at the least', unit: 'µs', digits: 1 },
        { name: 'median over it', digits: 2 }],
    calls.results.map((result) => [result.operation, result.tokens, ...levels.map(([key]) => result.micros[key]),
        result.floor_micros, result.ratio])));
}

function benchPage(data)
{
    const rates = data.results.filter((result) => result.GBps !== undefined);
    const latencies = data.results.filter((result) => result.micros !== undefined);
    benchHead(data, rates, latencies);
    benchRates(data, rates);
    if (latencies.length > 0)
    {
        benchLatencies(latencies);
    }

    if (data.low_latency)
    {
        benchCalls(data.low_latency);
    }
}

function drawPage(data)
{
    ({ run: runPage, bench: benchPage, exchange: exchangePage })[data.page](data);
    const { at, system, cores, processor, java, version, commit } = data.made;
    document.getElementById('foot').append(`Made ${at.replace('T', ' ').replace('Z', ' UTC')} on ${system}, ` +
        `${cores} cores${processor ? ' (' + processor + ')' : ''}, Java ${java}, by Transload ${version} (commit ${commit}). Figures of one report belong ` +
        'together: machines, and the same machine at different times, differ.');
    watchWidth();
}

drawPage(JSON.parse(document.getElementById('data').textContent));
