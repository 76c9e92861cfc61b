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
    const digits = [100, 10, 1].filter((limit) => size < limit).length;
    return size < 0.01 ? String(Number(value.toPrecision(2))) : fixed(value, digits);
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

/* unit: of a value; the name of the axis says more where it must. */
function named(axis, unit)
{
    return Object.assign(axis, { unit, name: unit + (axis.isLog ? ', logarithmic' : '') });
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

    return { at: (value) => Math.log(value / low) / Math.log(high / low), ticks, label: bytes, isLog: true };
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
    const at = (value) => (value - 1) / (last - 1);
    return { at, ticks: [1].concat(ticks.filter((tick) => tick > 1)), label: plain };
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

function level(style, x1, x2, y)
{
    return shape('line', { class: style, x1, x2, y1: y, y2: y });
}

function upright(style, x, y1, y2)
{
    return shape('line', { class: style, x1: x, x2: x, y1, y2 });
}

/* As many labels as do not touch each other, equally many ticks apart, the last among them. */
function tickLabels(axis, place)
{
    const half = (tick) => axis.label(tick).length * CHARACTER / 2 + 4;
    for (let apart = 1; ; apart++)
    {
        const kept = axis.ticks.filter((_, i) => (axis.ticks.length - 1 - i) % apart === 0);
        if (kept.every((tick, i) => i === 0 || place(tick) - half(tick) >= place(kept[i - 1]) + half(kept[i - 1])))
        {
            return kept;
        }
    }
}

function frame(width, height, name, description, ...children)
{
    const id = 'plot-' + name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    return shape('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img',
        'aria-labelledby': `${id}-title ${id}-text` },
        shape('title', { id: id + '-title' }, name), shape('desc', { id: id + '-text' }, description), ...children);
}

/* series: name, style, points [[x, y]], isLine; x and y: named axes; limit: value and name of a level line. */
function linePlot(width, { name, description, x, y, series, limit })
{
    const left = Math.max(...y.ticks.map((tick) => y.label(tick).length)) * CHARACTER + 12;
    const [right, top, high] = [width - 16, 28, Math.max(210, Math.min(320, width * 0.4))];
    const bottom = top + high;
    const placeX = (value) => left + x.at(value) * (right - left);
    const placeY = (value) => bottom - y.at(value) * high;
    const parts = [shape('text', { x: 0, y: 13 }, y.name)];
    for (const tick of y.ticks)
    {
        parts.push(level(tick === 0 ? 'axis' : 'grid', left, right, placeY(tick)),
            shape('text', { x: left - 8, y: placeY(tick) + 4, 'text-anchor': 'end' }, y.label(tick)));
    }

    for (const tick of tickLabels(x, placeX))
    {
        parts.push(upright('axis', placeX(tick), bottom, bottom + 5),
            shape('text', { x: placeX(tick), y: bottom + 20, 'text-anchor': 'middle' }, x.label(tick)));
    }

    parts.push(level('axis', left, right, bottom),
        shape('text', { x: right, y: bottom + 40, 'text-anchor': 'end' }, x.name));
    if (limit)
    {
        parts.push(level('limit', left, right, placeY(limit.value)),
            shape('text', { x: left + 8, y: placeY(limit.value) + 16 }, limit.name));
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
        const d = 'M' + places.map((place) => place.join(',')).join('L');
        drawn.push(shape('path', { class: 'line ' + style, d }));
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
    const most = Math.max(limit ? limit.value : 0, ...groups.flatMap((group) =>
        group.bars.map((bar) => bar.parts.reduce((sum, part) => sum + part.value, 0))));
    const axis = zeroBased(most, isNarrow ? 3 : 5);
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
            parts.push(shape('text', { x: isNarrow ? width : left + 8, y, 'text-anchor': isNarrow ? 'end' : 'start' },
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
        const anchor = tick === 0 && isNarrow ? 'start' : 'middle';
        under.push(upright(tick === 0 ? 'axis' : 'grid', place(tick), begin, y),
            shape('text', { x: place(tick), y: y + 17, 'text-anchor': anchor }, axis.label(tick)));
    }

    if (limit)
    {
        const isRight = place(limit.value) > width * 0.6;
        under.push(upright('limit', place(limit.value), begin - 4, y),
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
        const length = Math.max(0.5, place(sum + part.value) - place(sum));
        parts.push(shape('rect', { class: `bar ${part.style}${part.isPale ? ' pale' : ''}`, x: place(sum), y: top,
            height: 14, width: length }, shape('title', {}, part.name)));
        sum += part.value;
    }

    parts.push(shape('text', { class: 'said', x: isNarrow ? width : place(sum) + 8, y: y + 14,
        'text-anchor': isNarrow ? 'end' : 'start' }, bar.note));
    return isNarrow ? 38 : 22;
}

/* values[rank][other]; a rank and itself is said and not coloured; most: value of the full colour. */
function heatMap(width, { name, description, rowName, columnName, values, most })
{
    const left = 46;
    const cell = Math.min(80, (width - left) / values.length);
    const high = cell >= 44 ? 44 : cell;
    const every = Math.ceil(24 / cell);
    const parts = [shape('text', { x: left, y: 13 }, columnName), shape('text', { x: 0, y: 34 }, rowName)];
    values.forEach((row, rank) =>
    {
        const [x, y] = [left + rank * cell, 42 + rank * high];
        if (rank % every === 0)
        {
            parts.push(shape('text', { x: x + cell / 2, y: 34, 'text-anchor': 'middle' }, String(rank)),
                shape('text', { x: left - 10, y: y + high / 2 + 4, 'text-anchor': 'end' }, String(rank)));
        }

        row.forEach((value, other) => parts.push(...heatCell(left + other * cell, y, cell, high, value,
            rank === other ? null : most > 0 ? value / most : 0, `rank ${rank} for rank ${other}: ${short(value)}`)));
    });
    return frame(width, 46 + values.length * high, name, description, ...parts);
}

/* share: of the full colour, null for none. */
function heatCell(x, y, width, height, value, share, title)
{
    const gap = share === null ? 2 : 0;
    const look = share === null ? { class: 'own' } :
        { class: width < 14 ? 'cell small' : 'cell', 'fill-opacity': opacity(share) };
    const drawn = [shape('rect', { ...look, x: x + gap, y: y + gap, width: width - 2 * gap, height: height - 2 * gap },
        shape('title', {}, title))];
    if (width >= 44)
    {
        /* Black and white are needed to be readable on every shade, and change at another one in the dark. */
        const style = share === null ? '' : share < 0.6 ? 'weak' : share < 0.85 ? 'middle' : 'full';
        drawn.push(shape('text', { class: style, x: x + width / 2, y: y + height / 2 + 4, 'text-anchor': 'middle' },
            short(value)));
    }

    return drawn;
}

/* Nothing at all would look like no cell. */
function opacity(share)
{
    return (0.04 + 0.96 * share).toFixed(3);
}

/* The greatest of two different ranks. */
function between(values)
{
    return Math.max(0, ...values.flatMap((row, rank) => row.filter((_, other) => other !== rank)));
}
