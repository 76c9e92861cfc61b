/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The page of a run. */

const CALLS = ['dispatch', 'combine'];
const LINKS = [['scale_out', 'scale-out'], ['scale_up', 'scale-up']];

/* In the order in which a token passes them. */
const STAGES = ['notify', 'dispatch, scale-out', 'dispatch, scale-up', 'combine, scale-up', 'combine, scale-out',
    'other'];

function transportText({ name, version, memory_kinds: kinds, emulated, passed_over: passed = [] })
{
    return `${name}, ${version}${kinds ? ', memory ' + kinds.join(' ') : ''}${emulated ? ', emulated' : ''}` +
        passed.map((other) => `; ${other.name} is unavailable because ${other.reason}`).join('');
}

/* Nothing where the command came to its end. */
function interruption(data, rest)
{
    return data.interrupted ? [element('p', { class: 'verdict bad' }, `✗ Interrupted: ${rest}`)] : [];
}

function runHead(data)
{
    const { world, input, transports } = data;
    const padded = input.experts === input.experts_padded ? '' : ` padded to ${input.experts_padded}`;
    const cold = data.warmup > 0 ? `, after a warm-up of ${fixed(data.warmup, 0)}` : data.iterations === 1 ?
        ', in cold JVMs: --iterations 20 shows steady figures' : '';
    const medians = CALLS.map((call) =>
    {
        const unit = unitOf(data[call].micros.median);
        return [`${call}, median of the slowest rank`, short(data[call].micros.median * unit.scale), unit.name];
    });
    const known = data.allocated_bytes_per_iteration !== null;
    document.getElementById('head').append(
        ...interruption(data, `figures are of the first ${fixed(data.iterations, 0)} of ` +
            `${fixed(data.iterations_planned, 0)} iterations`),
        element('p', { class: 'verdict ' + (data.verified ? 'good' : 'bad') }, data.verified ?
            `✓ Verified: ${fixed(data.verified_iterations, 0)} of ${fixed(data.all_iterations, 0)} ` +
                `${data.all_iterations === 1 ? 'iteration' : 'iterations'}: every row, count, weight and sum is what ` +
                'the reference says, bit for bit' :
            '✗ Not verified: what arrived differs from what the reference says'),
        ...(data.failures ? [element('ul', {}, ...data.failures.map((failure) => element('li', {}, failure)))] : []),
        facts([
            ...(data.mode === 'low-latency' ? [['Mode', `low latency: calls of at most ${data.max_tokens} tokens a rank` +
                (data.masked.length > 0 ? `; ranks went on without ${data.masked.join(', ')}` : '')]] : []),
            ['World', `${world.nodes} nodes × ${world.ranks_per_node} ranks, ${data.channels} channels`],
            ['Input', `${input.origin}: ${fixed(data.tokens, 0)} tokens, hidden ${input.hidden}, ${input.dtype}, ` +
                `top-${input.topk} of ${input.experts} experts${padded}`],
            ['Output', `${fixed(data.rows_received, 0)} rows in each iteration, ${data.output}`],
            ['Iterations', fixed(data.iterations, 0) + cold],
            ['Scale-out', transportText(transports.scale_out)],
            ['Scale-up', transportText(transports.scale_up)]]),
        sums([...medians, ['memcpy, one thread, cold', short(data.memcpy_GBps), 'GB/s'],
            ...(known ? [['allocated in an iteration, by threads that run the engine',
                short(data.allocated_bytes_per_iteration), 'B']] : [])]));
}

function runTimes(data)
{
    const micros = CALLS.map((call) => data[call].micros);
    const unit = unitOf(median(micros.flatMap((one) => one.by_iteration)));
    const step = micros[0].iterations_per_point;
    const keys = [['min', 'least'], ['median', 'median'], ['p99', '99th percentile']];
    const said = CALLS.map((call, i) => `${call}: ` +
        keys.map(([key, name]) => `${name} ${short(micros[i][key] * unit.scale)} ${unit.name}`).join(', ')).join('; ');
    const series = CALLS.map((call, i) => ({ name: call, style: STYLES[i],
        points: micros[i].by_iteration.map((value, at) => [at * step + 1, value * unit.scale]) }));
    const parts = [table('Times of the slowest rank',
        [{ name: '' }, ...keys.map(([, name]) => ({ name, unit: unit.name, digits: 3 }))],
        CALLS.map((call, i) => [call, ...keys.map(([key]) => micros[i][key] * unit.scale)]))];
    if (data.iterations > 1)
    {
        const plot = (width) => linePlot(width, { name: 'Time of each iteration', description: said, series,
            x: named(counted(data.iterations), 'iteration'), y: named(fitting(valuesOf(series), 5), unit.name) });
        parts.push(figure(plot, table('Time by iteration',
            [{ name: 'iteration', digits: 0 }, ...CALLS.map((name) => ({ name, unit: unit.name, digits: 3 }))],
            series[0].points.map(([at, value], i) => [at, value, series[1].points[i][1]])), legend(series)));
    }

    section('Time of each iteration', 'From the call to its completion, of the slowest rank.' +
        (step > 1 ? ` Each point is the slowest of ${step} iterations.` : '') +
        (data.warmup > 0 ? '' : ' The first iterations run in JVMs that have not compiled their code.'), ...parts);
    if (data.iterations > 1)
    {
        const curves = CALLS.map((call, i) => ({ name: call, style: STYLES[i], isLine: true,
            points: micros[i].percentiles.map(([percent, value]) => [percent, value * unit.scale]) }));
        percentileSection('Time by percentile', `So many percent of the ${data.iterations} iterations took no longer.`,
            curves, data.iterations, unit, said);
    }
}

/* Said of means over all iterations: without a warm-up the first ones are cold. */
function coldOnes(data)
{
    return data.warmup > 0 ? '' : ', cold ones too';
}

function runStages(data)
{
    const stages = CALLS.flatMap((call, i) => LINKS.map(([key, link]) => ({ call, link, style: STYLES[i],
        megabytes: data[call][key + '_bytes'] / 1e6, rate: data[call][key + '_GBps'] })));
    const said = ({ rate, megabytes }) => `${short(rate)} GB/s, ${short(megabytes)} MB`;
    const bar = (stage) => ({ name: stage.link, note: said(stage),
        parts: [{ value: stage.rate, style: stage.style, name: `${stage.call}, ${stage.link}: ${said(stage)}` }] });
    const plot = (width) => barPlot(width, { name: 'Rate of each stage', unit: 'GB/s',
        description: stages.map((stage) => `${stage.call}, ${stage.link}: ${said(stage)}`).join('; '),
        groups: CALLS.map((call) => ({ name: call, bars: stages.filter((stage) => stage.call === call).map(bar) })),
        limit: { value: data.memcpy_GBps, name: `memcpy, one thread: ${short(data.memcpy_GBps)} GB/s` } });
    section('Bytes of each stage', 'Payload and metadata that all ranks put in one iteration, over the median time ' +
        'of the whole call: the stages overlap, and share its time.', figure(plot, table('Bytes of each stage',
        [{ name: 'stage' }, { name: 'bytes', unit: 'MB', digits: 2 }, { name: 'rate', unit: 'GB/s', digits: 3 },
            { name: 'of memcpy', digits: 3 }],
        stages.map(({ call, link, megabytes, rate }) =>
            [`${call}, ${link}`, megabytes, rate, rate / data.memcpy_GBps]))));
}

function runRoles(data)
{
    const roles = Object.entries(data.roles).map(([name, role]) => ({ name, stage: role.stage,
        busy: role.busy_micros / data.iterations, wait: role.waiting_micros / data.iterations }));
    const unit = unitOf(Math.max(...roles.map((role) => role.busy + role.wait)));
    const sum = (some, key) => some.reduce((all, role) => all + role[key], 0);
    const said = (some, key) => short(sum(some, key) * unit.scale);
    const note = (some) => `${said(some, 'busy')} + ${said(some, 'wait')} ${unit.name}`;
    const bar = (role) => ({ name: role.name, note: note([role]), parts: [
        { value: role.busy * unit.scale, style: 'first', name: `${role.name} busy` },
        { value: role.wait * unit.scale, style: 'first', isPale: true, name: `${role.name} waiting` }] });
    const groups = STAGES.map((stage) => [stage, roles.filter((role) => role.stage === stage)])
        .filter(([, some]) => some.length > 0)
        .map(([name, some]) => ({ name, bars: some.map(bar), note: some.length < 2 ? '' : note(some) }));
    const plot = (width) => barPlot(width, { name: 'Time of each role', unit: unit.name, groups,
        description: roles.map((role) => `${role.name}: busy and waiting ${note([role])}`).join('; ') });
    const times = ['busy', 'waiting'].map((name) => ({ name, unit: unit.name, digits: 3 }));
    section('Time of each stage and role', 'Summed over all ranks and channels, in an iteration on average' +
        coldOnes(data) + '. Waiting: a duty cycle of the role found nothing to do while a call was under way.',
    figure(plot, table('Time of each role', [{ name: 'role' }, { name: 'stage' }, ...times],
        roles.map((role) => [role.name, role.stage, role.busy * unit.scale, role.wait * unit.scale])),
    legend([{ name: 'busy', style: 'first', isBar: true },
        { name: 'waiting', style: 'first', isBar: true, isPale: true }])));
}

function runWaits(data)
{
    const sums = CALLS.map((call) => data.ranks.map((rank) => data.ranks.map((other) => rank.thread_waits
        .filter((wait) => wait.call === call && wait.for_rank === other.rank)
        .reduce((sum, wait) => sum + wait.micros, 0) / data.iterations)));
    const unit = unitOf(Math.max(...sums.map(between)));
    const values = sums.map((rows) => rows.map((row) => row.map((micros) => micros * unit.scale)));
    const most = Math.max(...values.map(between));
    const maps = CALLS.map((call, i) => figure((width) => heatMap(width, { name: `Waits in ${call}`, values: values[i],
        most, description: whoWaits(values[i], unit.name), rowName: 'rank', columnName: 'waits for rank' }),
    table(`Waits in ${call}`, [{ name: 'rank', digits: 0 },
        ...data.ranks.map((other) => ({ name: `for ${other.rank}`, unit: unit.name, digits: 3 }))],
    values[i].map((row, rank) => [rank, ...row])), element('h3', {}, call)));
    section('Who waits for whom', `Time of an iteration, in ${unit.name}, in which the threads of a rank had nothing ` +
        'to do, booked on the rank that owed them rows, counts or credit' + coldOnes(data) + '. The diagonal is ' +
        'what the stages of the rank itself owed, and is not coloured.',
    shades(`0 ${unit.name}`, `${short(most)} ${unit.name}`), element('div', { class: 'pair' }, ...maps));
}

/* Of each rank, the other that it waits for most. */
function whoWaits(values, unit)
{
    return values.map((row, rank) =>
    {
        const others = row.map((value, other) => other === rank ? -1 : value);
        const most = others.indexOf(Math.max(...others));
        return others[most] > 0 ? `rank ${rank} most for rank ${most}, ${short(row[most])} ${unit}` :
            `rank ${rank} for nobody`;
    }).join('; ');
}

function runRanks(data)
{
    const unit = unitOf(Math.max(...data.ranks.flatMap((rank) => Object.values(rank.median_micros))));
    const columns = [{ name: 'rank', digits: 0 }, { name: 'host' }, { name: 'pid' }, { name: 'tokens', digits: 0 },
        { name: 'rows received', digits: 0 },
        ...CALLS.map((name) => ({ name, unit: 'median ' + unit.name, digits: 3 })),
        { name: 'last rows from' }, { name: 'verified' }];
    section('Ranks', 'Medians are of the rank itself, over all iterations. Last rows: for whose rows its dispatches ' +
        'waited longest.', table('Ranks', columns, data.ranks.map((rank) => [rank.rank, rank.host, String(rank.pid),
        rank.tokens, rank.rows_received, ...CALLS.map((call) => rank.median_micros[call] * unit.scale),
        rank.waited_most_for === null ? 'nobody' : `rank ${rank.waited_most_for}`, rank.verified ? 'yes' : 'no'])));
}

function runPage(data)
{
    runHead(data);
    runTimes(data);
    runStages(data);
    if (data.bench)
    {
        runBench(data.bench);
    }

    if (Object.keys(data.roles).length > 0)
    {
        runRoles(data);
    }

    if (data.ranks.length > 1 && data.ranks.some((rank) => rank.thread_waits.length > 0))
    {
        runWaits(data);
    }

    runRanks(data);
}
