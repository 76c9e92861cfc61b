/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Parts of a page: facts, sections, tables, legends, and plots that are drawn anew when their width changes. */

const PRINTED_WIDTH = 670;
const LEAST_WIDTH = 260;
const LONG_TABLE = 40;
const plots = [];

function element(name, attributes, ...children)
{
    return filled(document.createElement(name), attributes, children);
}

/* [[name, value]]. */
function facts(pairs)
{
    return element('dl', { class: 'facts' }, ...pairs.flatMap(([name, value]) =>
        [element('dt', {}, name), element('dd', {}, value)]));
}

/* [[name, value, unit]]. */
function sums(triples)
{
    return element('dl', { class: 'sums' }, ...triples.map(([name, value, unit]) => element('div', {},
        element('dt', {}, name), element('dd', {}, value, ' ', element('span', { class: 'unit' }, unit)))));
}

function section(title, note, ...children)
{
    const id = title.toLowerCase().replace(/[^a-z]+/g, '-');
    document.getElementById('report').append(element('section', { 'aria-labelledby': id },
        element('h2', { id }, title), element('p', { class: 'note' }, note), ...children));
}

/* columns: name, unit, digits (text where there are none); the first column names its row. */
function table(caption, columns, rows)
{
    const kinds = columns.map((column) => column.digits === undefined ? { class: 'text' } : {});
    const head = columns.map(({ name, unit }, i) => element('th', { scope: 'col', ...kinds[i] }, name,
        ...(unit ? [' ', element('span', { class: 'unit' }, unit)] : [])));
    const body = rows.map((row) => element('tr', {}, ...row.map((value, i) =>
    {
        const text = typeof value === 'number' ? fixed(value, columns[i].digits) : value;
        return i === 0 ? element('th', { scope: 'row', ...kinds[i] }, text) : element('td', kinds[i], text);
    })));
    return element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
        element('table', {}, element('caption', {}, caption), element('thead', {}, element('tr', {}, ...head)),
            element('tbody', {}, ...body)));
}

/* Behind a plot; a long one is not printed. */
function details(shown)
{
    const isLong = shown.querySelectorAll('tbody tr').length > LONG_TABLE;
    return element('details', isLong ? {} : { 'data-printed': '' }, element('summary', {}, 'Figures'), shown);
}

function legend(series)
{
    return element('ul', { class: 'legend' }, ...series.map((one) => element('li', {},
        shape('svg', { width: 30, height: 14, 'aria-hidden': 'true' }, ...legendMark(one)), one.name)));
}

function legendMark({ style, isLine, isBar, isPale })
{
    if (isBar)
    {
        return [shape('rect', { class: `bar ${style}${isPale ? ' pale' : ''}`, x: 8, y: 1, width: 14, height: 12 })];
    }

    const line = shape('path', { class: 'line ' + style, d: 'M1,7H29' });
    return [...(isLine ? [line] : []), shape('path', { class: 'mark ' + style, d: mark(style, 15, 7, 4) })];
}

/* What the colours of heat maps stand for. */
function shades(low, high)
{
    const steps = [0, 0.25, 0.5, 0.75, 1].map((share, i) => shape('rect', { class: 'cell', x: i * 22, y: 1, width: 22,
        height: 14, 'fill-opacity': opacity(share) }));
    return element('p', { class: 'scale' }, low,
        shape('svg', { width: 110, height: 16, 'aria-hidden': 'true' }, ...steps), high);
}

/* draw: from a width to an SVG; shown: the table behind it, or null. */
function figure(draw, shown, ...above)
{
    const host = element('div', { class: 'plot' });
    plots.push({ host, draw });
    return element('figure', {}, ...above, host, ...(shown ? [details(shown)] : []));
}

/* Curves of equally many samples. */
function percentileSection(title, note, curves, samples, unit, description)
{
    const y = named(fitting(valuesOf(curves), 5), unit.name);
    const levels = [0, 50, 75, 90, 95, 99, 99.9, 99.99].filter((level) => (1 - level / 100) * samples >= 0.999);
    const at = (curve, level) => curve.points.find(([percent]) => percent >= level - 1e-9)[1];
    section(title, note + ' The axis is logarithmic in the part that took longer.',
        figure((width) => linePlot(width, { name: title, description, y, series: curves,
            x: Object.assign(tail(samples), { name: 'percent' }) }),
        table(title, [{ name: 'percent' }, ...curves.map((one) => ({ name: one.name, unit: unit.name, digits: 3 }))],
            [...levels, 100].map((level) =>
                [level === 100 ? 'max' : String(level), ...curves.map((one) => at(one, level))])), legend(curves)));
}

/* A window that is not shown yet has no width. */
function drawAll(most = Infinity)
{
    for (const { host, draw } of plots)
    {
        host.replaceChildren(draw(Math.max(LEAST_WIDTH, Math.min(most, host.clientWidth))));
    }
}

/* Paper has one width, and shows what stands behind the plots. */
function watchWidth()
{
    const report = document.getElementById('report');
    let opened = [];
    let drawn = report.clientWidth;
    drawAll();
    new ResizeObserver(([entry]) =>
    {
        if (Math.abs(entry.contentRect.width - drawn) >= 1 && !matchMedia('print').matches)
        {
            drawn = entry.contentRect.width;
            drawAll();
        }
    }).observe(report);
    addEventListener('beforeprint', () =>
    {
        opened = [...document.querySelectorAll('details[data-printed]:not([open])')];
        opened.forEach((one) => one.setAttribute('open', ''));
        drawAll(PRINTED_WIDTH);
    });
    addEventListener('afterprint', () =>
    {
        opened.forEach((one) => one.removeAttribute('open'));
        drawAll();
    });
}

/* The largest unit in which the value isn't less than one. */
function unitOf(micros)
{
    const units = [[1e6, 's'], [1e3, 'ms'], [1, 'µs']].map(([factor, name]) => ({ name, scale: 1 / factor }));
    return units.find(({ scale }) => micros * scale >= 1) || units[2];
}

function median(values)
{
    return [...values].sort((a, b) => a - b)[Math.ceil(values.length / 2) - 1];
}

function valuesOf(series)
{
    return series.flatMap((one) => one.points.map(([, value]) => value));
}
