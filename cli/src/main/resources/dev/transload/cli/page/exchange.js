/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The page of a bench between the ranks of a world, and what a bench of the engine has beside a run. */

const LIMITS = { memcpy: 'a copy in memory by as many threads at once',
    stream: 'a stream of large puts between the same ranks' };
const WAITS = [['posting_micros', 'posting puts'], ['refused_micros', 'refused for want of room'],
    ['delivery_micros', 'waiting for delivery'], ['peers_micros', 'waiting for other ranks']];

/* A line for each traffic, over the bytes of a put. */
function trafficLines(data, value)
{
    return [...new Set(data.results.map((result) => result.traffic))].map((name, i) => ({ name, style: STYLES[i],
        isLine: true, points: data.results.filter((result) => result.traffic === name)
            .map((result) => [result.bytes, value(result)]) }));
}

/* Nothing is drawn of a single size. */
function hasLine(results)
{
    return new Set(results.map((result) => result.bytes)).size > 1;
}

function hostsOf({ ranks })
{
    const hosts = [...new Set(ranks.map((rank) => rank.host))];
    return `${ranks.length} on ${hosts.length === 1 ? hosts[0] : hosts.length + ' hosts: ' + hosts.join(', ')}`;
}

function exchangeHead(data)
{
    const { account } = data;
    document.getElementById('head').append(
        facts([['Transport', transportText({ ...data, name: data.transport })],
            ['Memory', `${data.memory_kind}, ${bytes(data.area_bytes)} of a rank for each of its peers`],
            ['Ranks', hostsOf(data)],
            ['Puts', `${data.pattern}, ${data.window} to a peer under way at once` +
                (data.checked ? ', all bytes compared' : '')]]),
        sums([[`best rate of a rank: ${account.best_traffic}, ${bytes(account.best_bytes)}`,
            short(account.best_GBps), 'GB/s'],
        [`of ${LIMITS[data.limit]}`, fixed(account.of_limit, 2), ''],
        ...(data.latencies || []).slice(0, 1).map((one) =>
            [`put to seen, median, ${bytes(one.bytes)}`, short(one.micros.p50), 'µs'])]));
}

function exchangeRates(data)
{
    const ours = trafficLines(data, (result) => result.GBps);
    const limits = trafficLines(data, (result) => result.limit_GBps).slice(0, 1)
        .map((line) => ({ ...line, name: `${data.limit}, ${line.name}`, style: 'reference' }));
    const all = [...ours, ...limits];
    const figures = table('Rates', [{ name: 'traffic' }, { name: 'size', unit: 'B', digits: 0 },
        ...['a rank', 'slowest', 'all ranks', data.limit].map((name) => ({ name, unit: 'GB/s', digits: 4 })),
        { name: 'of ' + data.limit, digits: 3 }, { name: 'puts', unit: 'million/s', digits: 4 }],
    data.results.map((result) => [result.traffic, result.bytes, result.GBps, result.slowest_GBps, result.total_GBps,
        result.limit_GBps, result.of_limit, result.million_per_second]));
    const note = 'Bytes that a rank puts, until they are visible at its peers; median of the rounds. What the ' +
        `transport adds on the wire is not counted. Beside them ${LIMITS[data.limit]}.`;
    section('Rate over message size', note, hasLine(data.results) ? figure((width) => linePlot(width,
        { name: 'Rate over message size', x: named(sizes(data.results.map((result) => result.bytes)), 'message size'),
            y: named(fitting(valuesOf(all), 5), 'GB/s'), series: all, description: ends(all, 'GB/s') }), figures,
    legend(all)) : figures);
}

function exchangeLatencies(latencies)
{
    const levels = [['p50', 'median'], ['p90', '90th percentile'], ['p99', '99th percentile'], ['max', 'greatest']];
    const lines = levels.slice(0, 3).map(([key, name], i) => ({ name, style: STYLES[i], isLine: true,
        points: latencies.map((one) => [one.bytes, one.micros[key]]) }));
    const figures = table('Latencies', [{ name: 'size', unit: 'B', digits: 0 },
        ...levels.map(([, name]) => ({ name, unit: 'µs', digits: 3 }))],
    latencies.map((one) => [one.bytes, ...levels.map(([key]) => one.micros[key])]));
    section('Latency over message size', 'From a put with its signal until it is seen: half of the time until the ' +
        'answer, of the slowest pair.', hasLine(latencies) ? figure((width) => linePlot(width,
        { name: 'Latency over message size', series: lines,
            x: named(sizes(latencies.map((one) => one.bytes)), 'message size'),
            y: named(fitting(valuesOf(lines), 5), 'µs'), description: ends(lines, 'µs') }), figures, legend(lines)) :
        figures);
}

/* Where the time of all ranks went. */
function exchangeAccount(data)
{
    const share = (waits, key) => 100 * waits[key] / Math.max(1e-9, WAITS.reduce((sum, [one]) => sum + waits[one], 0));
    section('Account of the time', 'Of the time of all ranks, in percent.', table('Account of the time',
        [{ name: 'traffic' }, { name: 'size', unit: 'B', digits: 0 },
            ...WAITS.map(([, name]) => ({ name, unit: '%', digits: 0 }))],
        data.results.map((result) => [result.traffic, result.bytes, ...WAITS.map(([key]) => share(result.waits, key))])));
}

function exchangePage(data)
{
    exchangeHead(data);
    exchangeRates(data);
    if (data.latencies)
    {
        exchangeLatencies(data.latencies);
    }

    exchangeAccount(data);
}

/* Bytes of the calls as they were put and as DeepEP counts them, beside what the same ranks can move at most. */
function runBench(bench)
{
    const isLowLatency = bench.mode === 'low-latency';
    const megabytes = (value) => value / 1e6 / bench.world.ranks;
    const wire = ({ scale_out_bytes: out, scale_up_bytes: up }) => out + up;
    section('Bytes on the wire, and as DeepEP counts them', 'Of a rank in a call, and its rate in the median call. ' +
        `The limit is ${LIMITS[bench.limit]}: ${short(bench.limit_GBps)} GB/s.`,
    table('Bytes of calls', [{ name: 'call' }, { name: 'put', unit: 'MB', digits: 3 },
        { name: 'rate', unit: 'GB/s', digits: 4 }, { name: 'of ' + bench.limit, digits: 3 },
        ...(isLowLatency ? ['DeepEP'] : ['DeepEP, RDMA', 'DeepEP, NVLink']).flatMap((name) =>
            [{ name, unit: 'MB', digits: 3 }, { name, unit: 'GB/s', digits: 4 }])],
    bench.results.map((result) => [result.call, megabytes(wire(result)), result.wire_GBps, result.of_limit,
        ...(isLowLatency ? ['out'] : ['out', 'up']).flatMap((key) =>
            [megabytes(result.deepep[key + '_bytes']), result.deepep[key + '_GBps']])])));
    if (bench.waits)
    {
        section('Longest waits', 'What threads of the engine waited for most, in an iteration.',
            table('Longest waits', [{ name: 'wait' }, { name: 'time', unit: 'µs', digits: 1 }],
                bench.waits.map((one) => [one.wait, one.micros])));
    }
}
