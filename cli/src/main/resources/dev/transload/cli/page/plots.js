/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Plots as SVG, drawn for a width. What is here knows numbers and names, and nothing of what they mean. */
'use strict';

const SVG = document.querySelector('svg').namespaceURI;
const STYLES = ['first', 'second', 'third', 'fourth'];
const CHARACTER = 7.4;
const MOST_MARKS = 200;
const MOST_MARKS_ON_LINE = 20;

function filled(node, attributes, children)
{
    for (const [name, value] of Object.entries(attributes))
    {
        node.setAttribute(name, value);
    }

    node.append(...children);
    return node;
}

/* Text goes in as text nodes only, so that a name that looks like markup stays a name. */
function shape(name, attributes, ...children)
{
    return filled(document.createElementNS(SVG, name), attributes, children);
}

/* A number with about three digits that count, in groups of three. */
function short(value)
{
    const size = Math.abs(value);
    return fixed(value, size >= 100 || value === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4);
}

function fixed(value, digits)
{
    const [whole, part] = value.toFixed(digits).split('.');
    const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, '\u202f') : whole;
    return part === undefined ? grouped : grouped + '.' + part;
}

/* For ticks: no zeros behind the last digit that counts. */
function plain(value)
{
    return fixed(Number(value.toPrecision(6)), 0) === String(value) ? String(value) :
        value >= 1000 ? fixed(value, 0) : String(Number(value.toPrecision(6)));
}

function zeroBased(high, count)
{
    const rough = (high > 0 ? high : 1) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
    const steps = Math.max(1, Math.ceil(high / step - 1e-9));
    const ticks = Array.from({ length: steps + 1 }, (_, i) => Number((i * step).toPrecision(6)));
    return { at: (value) => value / (steps * step), ticks, label: plain };
}

/* From one of 1, 2, 5 times a power of ten to another. */
function logarithmic(low, high)
{
    const grid = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    {
        grid.push(...[1, 2, 5].map((factor) => Number((factor * 10 ** power).toPrecision(1))));
    }

    const bottom = grid.filter((value) => value <= low).pop();
    const top = grid.find((value) => value >= high && value > bottom);
    const within = grid.filter((value) => value >= bottom && value <= top);
    const decades = within.filter((value) => /^1(e|0|$)|^0\.0*1$/.test(String(value)));
    const at = (value) => Math.log(value / bottom) / Math.log(top / bottom);
    return { at, ticks: decades.length > 3 ? decades : within, label: plain, isLog: true };
}

/* What spans more than a factor of twenty would be a line at the bottom of an axis from zero. */
function fitting(values, count)
{
    const low = Math.min(...values);
    const high = Math.max(...values);
    return low > 0 && high / low > 20 ? logarithmic(low, high) : zeroBased(high, count);
}

function bytes(value)
{
    const power = value >= 1 << 20 ? 2 : value >= 1024 ? 1 : 0;
    return plain(value / 1024 ** power) + ' ' + ['B', 'KiB', 'MiB'][power];
}

function sizes(values)
{
    const low = Math.min(...values);
    const high = Math.max(...values);
    const ticks = [];
    for (let tick = 1; tick <= high; tick *= 8)
    {
        if (tick >= low)
        {
            ticks.push(tick);
        }
    }

    return { at: (value) => Math.log(value / low) / Math.log(high / low), ticks, label: bytes };
}

/* Each decade holds the tenth part of what is left of the samples; the greatest of all stands at the right end. */
function tail(most)
{
    const right = Math.log10(most) + 0.3;
    const ticks = [0, 50, 90, 99, 99.9, 99.99, 99.999].filter((tick) => -Math.log10(1 - tick / 100) < right - 0.15);
    const at = (value) => value >= 100 ? 1 : -Math.log10(1 - value / 100) / right;
    return { at, ticks: ticks.concat(100), label: (tick) => tick === 100 ? 'max' : String(tick) };
}

function counted(count)
{
    const last = Math.max(2, count);
    const ticks = zeroBased(last, 6).ticks.filter((tick) => tick <= last && Number.isInteger(tick));
    return { at: (value) => (value - 1) / (last - 1), ticks: [1].concat(ticks.filter((tick) => tick > 1)), label: plain };
}

function mark(style, x, y, size)
{
    const s = size * (style === 'second' ? 0.9 : style === 'first' ? 1 : 1.25);
    return {
        first: `M${x - s},${y}a${s},${s} 0 1,0 ${2 * s},0a${s},${s} 0 1,0 ${-2 * s},0Z`,
        second: `M${x - s},${y - s}h${2 * s}v${2 * s}h${-2 * s}Z`,
        third: `M${x},${y - s}l${s},${1.8 * s}h${-2 * s}Z`,
        fourth: `M${x},${y - s}l${s},${s}l${-s},${s}l${-s},${-s}Z`,
        reference: `M${x - s},${y}h${2 * s}v1h${-2 * s}Z`
    }[style];
}

/* Labels that would touch the one before them are left out. */
function tickLabels(axis, place)
{
    const kept = [];
    let free = -Infinity;
    for (const tick of axis.ticks)
    {
        const half = axis.label(tick).length * CHARACTER / 2;
        if (place(tick) - half >= free)
        {
            kept.push(tick);
            free = place(tick) + half + 8;
        }
    }

    return kept;
}

function frame(width, height, name, description, ...children)
{
    const id = 'plot-' + name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    return shape('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img',
        'aria-labelledby': `${id}-title ${id}-text` },
        shape('title', { id: id + '-title' }, name), shape('desc', { id: id + '-text' }, description), ...children);
}

/* series: name, style, points [[x, y]], isLine; x and y: axes with a name; limit: value and name of a level line. */
function linePlot(width, { name, description, x, y, series, limit })
{
    const left = Math.max(...y.ticks.map((tick) => y.label(tick).length)) * CHARACTER + 12;
    const [right, top, high] = [width - 16, 28, Math.max(210, Math.min(320, width * 0.55))];
    const bottom = top + high;
    const placeX = (value) => left + x.at(value) * (right - left);
    const placeY = (value) => bottom - y.at(value) * high;
    const parts = [shape('text', { x: 0, y: 13 }, y.name)];
    for (const tick of y.ticks)
    {
        parts.push(shape('line', { class: tick === 0 ? 'axis' : 'grid', x1: left, x2: right, y1: placeY(tick),
            y2: placeY(tick) }), shape('text', { x: left - 8, y: placeY(tick) + 4, 'text-anchor': 'end' }, y.label(tick)));
    }

    for (const tick of tickLabels(x, placeX))
    {
        parts.push(shape('line', { class: 'axis', x1: placeX(tick), x2: placeX(tick), y1: bottom, y2: bottom + 5 }),
            shape('text', { x: placeX(tick), y: bottom + 20, 'text-anchor': 'middle' }, x.label(tick)));
    }

    parts.push(shape('line', { class: 'axis', x1: left, x2: right, y1: bottom, y2: bottom }),
        shape('text', { x: right, y: bottom + 40, 'text-anchor': 'end' }, x.name));
    if (limit)
    {
        parts.push(shape('line', { class: 'limit', x1: left, x2: right, y1: placeY(limit.value), y2: placeY(limit.value) }),
            shape('text', { x: right, y: placeY(limit.value) - 6, 'text-anchor': 'end' }, limit.name));
    }

    for (const one of series)
    {
        parts.push(...drawnSeries(one, placeX, placeY, x, y));
    }

    return frame(width, bottom + 46, name, description, ...parts);
}

function drawnSeries({ name, style, points, isLine }, placeX, placeY, x, y)
{
    const places = points.map(([a, b]) => [placeX(a).toFixed(1), placeY(b).toFixed(1)]);
    const drawn = [];
    if (isLine)
    {
        drawn.push(shape('path', { class: 'line ' + style, d: 'M' + places.map((place) => place.join(',')).join('L') }));
    }

    if (points.length > MOST_MARKS && !isLine)
    {
        return [shape('path', { class: 'many ' + style, d: places.map((place) => `M${place.join(',')}h0`).join('') })];
    }

    /* A line needs only so many marks to be told from another. */
    const every = isLine ? Math.ceil(points.length / MOST_MARKS_ON_LINE) : 1;
    points.forEach(([a, b], i) =>
    {
        if (i % every === 0)
        {
            const d = mark(style, Number(places[i][0]), Number(places[i][1]), 3.6);
            drawn.push(shape('path', { class: 'mark ' + style, d },
                shape('title', {}, `${name}: ${short(b)} ${y.unit} at ${x.label(a)}`)));
        }
    });
    return drawn;
}

/* groups: name, bars; a bar: name, note, parts with value, style and whether pale; limit as above. */
function barPlot(width, { name, description, unit, groups, limit })
{
    const isNarrow = width < 560;
    const [left, right] = [isNarrow ? 0 : 175, width - (isNarrow ? 14 : 150)];
    const sums = groups.flatMap((group) => group.bars.map((bar) => bar.parts.reduce((sum, part) => sum + part.value, 0)));
    const axis = zeroBased(Math.max(...sums, limit ? limit.value : 0), isNarrow ? 3 : 5);
    const place = (value) => left + axis.at(value) * (right - left);
    const parts = [];
    let y = limit ? 22 : 4;
    const begin = y;
    for (const group of groups)
    {
        y += 18;
        parts.push(shape('text', { class: 'strong', x: 0, y, 'font-weight': 600 }, group.name));
        if (group.note)
        {
            parts.push(shape('text', { x: isNarrow ? width : left, y, 'text-anchor': isNarrow ? 'end' : 'start' },
                group.note));
        }

        y += 8;
        for (const bar of group.bars)
        {
            y += drawnBar(parts, bar, y, isNarrow, place, width);
        }

        y += 6;
    }

    const under = [];
    for (const tick of tickLabels(axis, place))
    {
        under.push(shape('line', { class: tick === 0 ? 'axis' : 'grid', x1: place(tick), x2: place(tick), y1: begin, y2: y }),
            shape('text', { x: place(tick), y: y + 17, 'text-anchor': tick === 0 && isNarrow ? 'start' : 'middle' }, axis.label(tick)));
    }

    if (limit)
    {
        const isRight = place(limit.value) > width * 0.6;
        parts.push(shape('line', { class: 'limit', x1: place(limit.value), x2: place(limit.value), y1: begin - 4, y2: y }),
            shape('text', { x: place(limit.value), y: 13, 'text-anchor': isRight ? 'end' : 'middle' }, limit.name));
    }

    under.push(shape('text', { x: right, y: y + 37, 'text-anchor': 'end' }, unit));
    return frame(width, y + 42, name, description, ...under, ...parts);
}

function drawnBar(parts, bar, y, isNarrow, place, width)
{
    const top = isNarrow ? y + 18 : y + 3;
    parts.push(shape('text', { x: isNarrow ? 0 : 12, y: y + 14 }, bar.name));
    let sum = 0;
    for (const part of bar.parts)
    {
        parts.push(shape('rect', { class: `bar ${part.style}${part.isPale ? ' pale' : ''}`, x: place(sum), y: top, height: 14,
            width: Math.max(0.5, place(sum + part.value) - place(sum)) }, shape('title', {}, part.name)));
        sum += part.value;
    }

    parts.push(shape('text', { class: 'said', x: isNarrow ? width : place(sum) + 8, y: y + 14,
        'text-anchor': isNarrow ? 'end' : 'start' }, bar.note));
    return isNarrow ? 38 : 22;
}

/* values[row][column]; the diagonal is said and not coloured. */
function heatMap(width, { name, description, rowName, columnName, values })
{
    const count = values.length;
    const left = 46;
    const cell = Math.min(86, (width - left) / count);
    const isSaid = cell >= 44;
    const high = isSaid ? Math.min(cell, 48) : cell;
    const most = greatest(values);
    const parts = [shape('text', { x: left, y: 13 }, columnName), shape('text', { x: 0, y: 36 }, rowName)];
    const every = Math.ceil(22 / cell);
    for (let rank = 0; rank < count; rank++)
    {
        if (rank % every === 0)
        {
            parts.push(shape('text', { x: left + (rank + 0.5) * cell, y: 36, 'text-anchor': 'middle' }, String(rank)),
                shape('text', { x: left - 10, y: 44 + (rank + 0.5) * high + 4, 'text-anchor': 'end' }, String(rank)));
        }

        for (let other = 0; other < count; other++)
        {
            const share = most > 0 ? values[rank][other] / most : 0;
            const [x, y] = [left + other * cell, 44 + rank * high];
            const isOwn = rank === other;
            parts.push(shape('rect', { class: isOwn ? 'own' : 'cell', x: isOwn ? x + 2 : x, y: isOwn ? y + 2 : y,
                width: isOwn ? cell - 4 : cell, height: isOwn ? high - 4 : high,
                'fill-opacity': isOwn ? 1 : (0.04 + 0.96 * share).toFixed(3) },
                shape('title', {}, `rank ${rank} for rank ${other}: ${short(values[rank][other])}`)));
            if (isSaid)
            {
                parts.push(shape('text', { class: isOwn ? '' : share > 0.68 ? 'over' : 'strong', x: x + cell / 2,
                    y: y + high / 2 + 4, 'text-anchor': 'middle' }, short(values[rank][other])));
            }
        }
    }

    return frame(width, 48 + count * high, name, description, ...parts);
}

/* Between different ranks. */
function greatest(values)
{
    return Math.max(0, ...values.flatMap((row, rank) => row.filter((_, other) => other !== rank)));
}
