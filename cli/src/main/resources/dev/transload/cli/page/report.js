/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* From the data block to the page of a run or of a bench. */

const CALLS = ['dispatch', 'combine'];
/* In the order in which a token passes them. */
const STAGES = ['notify', 'dispatch, scale-out', 'dispatch, scale-up', 'combine, scale-up', 'combine, scale-out', 'other'];
const LINKS = [['scale_out', 'scale-out'], ['scale_up', 'scale-up']];

function transportText({ name, version, memory_kinds: kinds, emulated })
{
    return `${name}, ${version}${kinds ? ', memory ' + kinds.join(' ') : ''}${emulated ? ', emulated' : ''}`;
}

function median(values)
{
    return [...values].sort((a, b) => a - b)[Math.ceil(values.length / 2) - 1];
}

function runHead(data)
{
    const { world, input, transports } = data;
    const head = document.getElementById('head');
    head.append(element('p', { class: 'verdict ' + (data.verified ? 'good' : 'bad') }, data.verified ?
        '✓ Verified: every row, count, weight and sum is what the reference says, bit for bit' :
        '✗ Not verified: what arrived differs from what the reference says'));
    if (data.failures)
    {
        head.append(element('ul', {}, ...data.failures.map((failure) => element('li', {}, failure))));
    }

    head.append(facts([
        ['World', `${world.nodes} nodes × ${world.ranks_per_node} ranks, ${data.channels} channels, ${data.output} rows`],
        ['Input', `${input.origin}: ${fixed(data.tokens, 0)} tokens, hidden ${input.hidden}, ${input.dtype}, ` +
            `top-${input.topk} of ${input.experts} experts` +
            (input.experts === input.experts_padded ? '' : ` padded to ${input.experts_padded}`)],
        ['Rows received', fixed(data.rows_received, 0) + ' in each iteration'],
        ['Iterations', fixed(data.iterations, 0) + (data.iterations === 1 ?
            ', in cold JVMs: --iterations 20 shows steady figures' : '')],
        ['Scale-out', transportText(transports.scale_out)],
        ['Scale-up', transportText(transports.scale_up)]]));
    head.append(sums([...CALLS.map((call) =>
    {
        const unit = unitOf(data[call].micros.median);
        return [`${call}, median of the slowest rank`, short(data[call].micros.median * unit.scale), unit.name];
    }), ['memcpy, one thread, cold', short(data.memcpy_GBps), 'GB/s'],
    ['allocated by the engine in an iteration', short(data.allocated_bytes_per_iteration), 'B']]));
}

function runTimes(data)
{
    const micros = CALLS.map((call) => data[call].micros);
    const unit = unitOf(median(micros.flatMap((one) => one.by_iteration)));
    const step = micros[0].iterations_per_point;
    const said = CALLS.map((call, i) => `${call}: median ${short(micros[i].median * unit.scale)} ${unit.name}, ` +
        `least ${short(micros[i].min * unit.scale)}, 99th percentile ${short(micros[i].p99 * unit.scale)}`).join('; ');
    const named = (axis, name) => Object.assign(axis, { name: name + (axis.isLog ? ', logarithmic' : ''), unit: unit.name });
    const series = CALLS.map((call, i) => ({ name: call, style: STYLES[i],
        points: micros[i].by_iteration.map((value, at) => [at * step + 1, value * unit.scale]) }));
    const y = named(fitting(series.flatMap((one) => one.points.map(([, value]) => value)), 5), unit.name);
    section('Time of each iteration', 'From the call to its completion, of the slowest rank.' +
        (step > 1 ? ` Each point is the slowest of ${step} iterations.` : '') +
        ' The first iterations run in JVMs that have not compiled their code.',
        table('Of the slowest rank', [{ name: '' }, ...['least', 'median', '99th percentile'].map((name) =>
            ({ name, unit: unit.name, digits: 3 }))], CALLS.map((call, i) =>
            [call, ...['min', 'median', 'p99'].map((key) => micros[i][key] * unit.scale)])),
        data.iterations === 1 ? '' : figure((width) => linePlot(width, { name: 'Time of each iteration', description: said,
            x: Object.assign(counted(data.iterations), { name: 'iteration' }), y, series }),
        table('Time by iteration', [{ name: 'iteration', digits: 0 },
            ...CALLS.map((name) => ({ name, unit: unit.name, digits: 3 }))],
        micros[0].by_iteration.map((_, at) => [at * step + 1, ...micros.map((one) => one.by_iteration[at] * unit.scale)])),
        legend(series)));
    if (data.iterations === 1)
    {
        return;
    }

    const curves = CALLS.map((call, i) => ({ name: call, style: STYLES[i], isLine: true,
        points: micros[i].percentiles.map(([percent, value]) => [percent, value * unit.scale]) }));
    percentileSection('Time by percentile', `So many percent of the ${data.iterations} iterations took no longer.`, curves,
        data.iterations, unit, said);
}

/* Curves of equally many samples. */
function percentileSection(title, note, curves, samples, unit, description)
{
    const y = fitting(curves.flatMap((one) => one.points.map(([, value]) => value)), 5);
    Object.assign(y, { name: unit.name + (y.isLog ? ', logarithmic' : ''), unit: unit.name });
    const levels = [0, 50, 75, 90, 95, 99, 99.9, 99.99].filter((level) => (1 - level / 100) * samples >= 0.999).concat(100);
    section(title, note + ' The axis is logarithmic in the part that took longer.', figure((width) => linePlot(width, {
        name: title, description, y, series: curves, x: Object.assign(tail(samples), { name: 'percent' }) }),
    table(title, [{ name: 'percent' }, ...curves.map((one) => ({ name: one.name, unit: unit.name, digits: 3 }))],
        levels.map((level) => [level === 100 ? 'max' : String(level),
            ...curves.map((one) => one.points.find(([percent]) => percent >= level - 1e-9)[1])])), legend(curves)));
}

function runStages(data)
{
    const rows = CALLS.flatMap((call) => LINKS.map(([key, name]) =>
        [`${call}, ${name}`, data[call][key + '_bytes'] / 1e6, data[call][key + '_GBps']]));
    const bar = ([name, megabytes, rate], i) => ({ name: name.split(', ')[1], note: `${short(rate)} GB/s, ${short(megabytes)} MB`,
        parts: [{ value: rate, style: STYLES[i < 2 ? 0 : 1], name: `${name}: ${short(rate)} GB/s` }] });
    section('Bytes of each stage', 'Payload and metadata that all ranks put in one iteration, over the median time of the ' +
        'whole call: the stages overlap, and share its time.',
    figure((width) => barPlot(width, { name: 'Rate of each stage', unit: 'GB/s',
        description: rows.map(([name, megabytes, rate]) => `${name}: ${short(rate)} GB/s, ${short(megabytes)} MB`).join('; '),
        groups: CALLS.map((call, i) => ({ name: call, bars: rows.map(bar).slice(2 * i, 2 * i + 2) })),
        limit: { value: data.memcpy_GBps, name: `memcpy, one thread: ${short(data.memcpy_GBps)} GB/s` } }),
    table('Bytes of each stage', [{ name: 'stage' }, { name: 'bytes', unit: 'MB', digits: 2 },
        { name: 'rate', unit: 'GB/s', digits: 3 }, { name: 'of memcpy', digits: 3 }],
    rows.map((row) => [...row, row[2] / data.memcpy_GBps]))));
}

function runRoles(data)
{
    const roles = Object.entries(data.roles).map(([name, role]) => ({ name, stage: role.stage,
        busy: role.busy_micros / data.iterations, wait: role.waiting_micros / data.iterations }));
    const unit = unitOf(Math.max(...roles.map((role) => role.busy + role.wait)));
    const stages = STAGES.map((name) => ({ name, roles: roles.filter((role) => role.stage === name) }))
        .filter((stage) => stage.roles.length > 0);
    const sum = (stage, key) => stage.roles.reduce((all, role) => all + role[key], 0);
    const note = ({ busy, wait }) => `${short(busy * unit.scale)} + ${short(wait * unit.scale)} ${unit.name}`;
    const bar = (role) => ({ name: role.name, note: note(role), parts: [
        { value: role.busy * unit.scale, style: 'first', name: `${role.name} busy` },
        { value: role.wait * unit.scale, style: 'first', isPale: true, name: `${role.name} waiting` }] });
    section('Time of each stage and role', 'Summed over all ranks and channels, in an iteration on average, cold ones too. Waiting: a ' +
        'duty cycle of the role found nothing to do while a call was under way.',
    figure((width) => barPlot(width, { name: 'Time of each role', unit: unit.name,
        description: roles.map((role) => `${role.name}: busy and waiting ${note(role)}`).join('; '),
        groups: stages.map((stage) => ({ name: stage.name, bars: stage.roles.map(bar),
            note: stage.roles.length < 2 ? '' : note({ busy: sum(stage, 'busy'), wait: sum(stage, 'wait') }) })) }),
    table('Time of each role', [{ name: 'role' }, { name: 'stage' }, { name: 'busy', unit: unit.name, digits: 3 },
        { name: 'waiting', unit: unit.name, digits: 3 }],
    roles.map((role) => [role.name, role.stage, role.busy * unit.scale, role.wait * unit.scale])),
    legend([{ name: 'busy', style: 'first', isBar: true }, { name: 'waiting', style: 'first', isBar: true, isPale: true }])));
}

/* values[rank][other]: microseconds of one iteration. */
function waitSection(title, note, values)
{
    const unit = unitOf(greatest(values));
    const scaled = values.map((row) => row.map((value) => value * unit.scale));
    const said = scaled.map((row, rank) =>
    {
        const others = row.map((value, other) => other === rank ? -1 : value);
        const most = others.indexOf(Math.max(...others));
        return others[most] > 0 ? `rank ${rank} most for rank ${most}, ${short(row[most])} ${unit.name}` : `rank ${rank} for nobody`;
    }).join('; ');
    section(title, note + ` In ${unit.name}; the diagonal, a rank and itself, is not coloured.`,
    figure((width) => heatMap(width, { name: title, description: said, rowName: 'waits', columnName: 'for rank', values: scaled }),
        table(`${title}, ${unit.name}`, [{ name: 'rank', digits: 0 },
            ...scaled.map((_, other) => ({ name: `for ${other}`, digits: 3 }))], scaled.map((row, rank) => [rank, ...row])), shades(`0 ${unit.name}`, `${short(greatest(scaled))} ${unit.name}`)));
}

function runWaits(data)
{
    waitSection('Who waits for whom', 'From the begin of a dispatch until the last row from that rank had arrived, on average.',
        data.ranks.map((rank) => rank.waiting_micros_by_source.map((micros) => micros / data.iterations)));
}

function runRanks(data)
{
    const unit = unitOf(Math.max(...data.ranks.map((rank) => Math.max(...Object.values(rank.median_micros)))));
    section('Ranks', 'Medians are of the rank itself, over all iterations.', table('Ranks', [{ name: 'rank', digits: 0 },
        { name: 'host' }, { name: 'pid' }, { name: 'tokens', digits: 0 }, { name: 'rows received', digits: 0 },
        ...CALLS.map((name) => ({ name, unit: 'median ' + unit.name, digits: 3 })), { name: 'waited most for' },
        { name: 'verified' }],
    data.ranks.map((rank) => [rank.rank, rank.host, String(rank.pid), rank.tokens, rank.rows_received,
        ...CALLS.map((call) => rank.median_micros[call] * unit.scale),
        rank.waited_most_for === null ? 'nobody' : `rank ${rank.waited_most_for}`, rank.verified ? 'yes' : 'no'])));
}

function runPage(data)
{
    runHead(data);
    runTimes(data);
    runStages(data);
    runRoles(data);
    if (data.ranks.length > 1)
    {
        runWaits(data);
    }

    runRanks(data);
}

function benchPage(data)
{
    const rates = data.results.filter((result) => result.GBps !== undefined);
    const latencies = data.results.filter((result) => result.micros !== undefined);
    const adds = data.results.filter((result) => result.million_per_second !== undefined);
    const operations = [...new Set(rates.map((result) => result.operation))];
    const best = rates.reduce((a, b) => a.GBps > b.GBps ? a : b);
    document.getElementById('head').append(
        facts([['Transport', transportText({ ...data, name: data.transport })],
            ['Memory', `cold, regions of ${bytes(data.region_bytes)}, between two processes of one host`]]),
        sums([[`best rate: ${best.operation} of ${bytes(best.bytes)}`, short(best.GBps), 'GB/s'],
            ['memcpy beside it', short(best.memcpy_GBps), 'GB/s'],
            [`put to seen, median, ${bytes(latencies[0].bytes)}`, short(latencies[0].micros.p50), 'µs'],
            ...adds.map((result) => [result.operation, short(result.million_per_second), 'million/s'])]));
    const x = () => Object.assign(sizes(rates.map((result) => result.bytes)), { name: 'message size, logarithmic' });
    const pointsOf = (operation, key) =>
        rates.filter((result) => result.operation === operation).map((result) => [result.bytes, result[key]]);
    const ours = operations.map((name, i) => ({ name, style: STYLES[i], isLine: true, points: pointsOf(name, 'GBps') }));
    const beside = { name: `memcpy beside ${operations[0]}`, style: 'reference', isLine: true,
        points: pointsOf(operations[0], 'memcpy_GBps') };
    const rateAxis = logarithmic(...[Math.min, Math.max].map((end) =>
        end(...rates.flatMap((result) => [result.GBps, result.memcpy_GBps]))));
    section('Rate over message size', 'Best of four passes through a whole region; a copy in memory walks through equal ' +
        'memory, pass by pass in turn.', figure((width) => linePlot(width, { name: 'Rate over message size',
        description: ours.map((one) => `${one.name}: ${short(one.points[0][1])} GB/s at ${bytes(one.points[0][0])}, ` +
            `${short(one.points.at(-1)[1])} GB/s at ${bytes(one.points.at(-1)[0])}`).join('; '),
        x: x(), y: Object.assign(rateAxis, { name: 'GB/s, logarithmic', unit: 'GB/s' }), series: [...ours, beside] }),
    table('Rates', [{ name: 'operation' }, { name: 'size', unit: 'B', digits: 0 }, { name: 'rate', unit: 'GB/s', digits: 3 },
        { name: 'memcpy', unit: 'GB/s', digits: 3 }, { name: 'of memcpy', digits: 3 }],
    rates.map((result) => [result.operation, result.bytes, result.GBps, result.memcpy_GBps, result.of_memcpy])),
    legend([...ours, beside])));
    const ratios = operations.map((name, i) => ({ name, style: STYLES[i], isLine: true, points: pointsOf(name, 'of_memcpy') }));
    section('Rate beside memcpy', 'Each rate divided by that of the copies measured in turns with it.',
        figure((width) => linePlot(width, { name: 'Rate beside memcpy', description: ratios.map((one) =>
            `${one.name}: ${short(one.points[0][1])} to ${short(one.points.at(-1)[1])} of memcpy`).join('; '), x: x(),
        y: Object.assign(zeroBased(Math.max(1, ...rates.map((result) => result.of_memcpy)), 5),
            { name: 'part of memcpy', unit: 'of memcpy' }), series: ratios, limit: { value: 1, name: 'as fast as memcpy' } }),
        null, legend(ratios)));
    latencySections(latencies);
}

function latencySections(latencies)
{
    const unit = { name: 'µs', scale: 1 };
    const levels = [['p50', 'median'], ['p99', '99th percentile'], ['p99_9', '99.9th percentile']];
    const series = levels.map(([key, name], i) => ({ name, style: STYLES[i], isLine: true,
        points: latencies.map((result) => [result.bytes, result.micros[key]]) }));
    const axis = fitting(series.flatMap((one) => one.points.map(([, value]) => value)), 5);
    section('Latency over message size', 'From put, fence and add until the other process has seen the add: half of the time ' +
        'until its answer.', figure((width) => linePlot(width, { name: 'Latency over message size',
        description: series.map((one) => `${one.name}: ${short(one.points[0][1])} µs at ${bytes(one.points[0][0])}, ` +
            `${short(one.points.at(-1)[1])} µs at ${bytes(one.points.at(-1)[0])}`).join('; '),
        x: Object.assign(sizes(latencies.map((result) => result.bytes)), { name: 'message size, logarithmic' }),
        y: Object.assign(axis, { name: 'µs' + (axis.isLog ? ', logarithmic' : ''), unit: 'µs' }), series }),
    table('Latencies', [{ name: 'size', unit: 'B', digits: 0 }, ...['50 %', '90 %', '99 %', '99.9 %', 'max'].map((name) =>
        ({ name, unit: 'µs', digits: 3 }))], latencies.map((result) => [result.bytes,
        ...['p50', 'p90', 'p99', 'p99_9', 'max'].map((key) => result.micros[key])])), legend(series)));
    const last = latencies.length - 1;
    const shown = [...new Set(STYLES.map((_, i) => Math.round(i * last / (STYLES.length - 1))))].map((at) => latencies[at]);
    const curves = shown.map((result, i) => ({ name: bytes(result.bytes), style: STYLES[i], isLine: true,
        points: result.micros.percentiles }));
    percentileSection('Latency by percentile', `So many percent of ${fixed(shown[0].round_trips, 0)} took no longer.`, curves,
        shown[0].round_trips, unit, curves.map((one) => `${one.name}: greatest ${short(one.points.at(-1)[1])} µs`).join('; '));
}

const data = JSON.parse(document.getElementById('data').textContent);
({ run: runPage, bench: benchPage })[data.page](data);
document.getElementById('foot').append(`Made ${data.made.at.replace('T', ' ').replace('Z', ' UTC')} on ${data.made.system}, ` +
    `${data.made.cores} cores${data.made.processor ? ' (' + data.made.processor + ')' : ''}, Java ${data.made.java}. ` +
    'Figures of one report belong together: machines, and the same machine at different times, differ.');
watchWidth();
