/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Parts of the page: facts, sections, tables, legends, and plots that are drawn anew when their width changes. */

const PRINTED_WIDTH = 670;
const plots = [];

function element(name, attributes, ...children)
{
    return filled(document.createElement(name), attributes, children);
}

/* [[name, value]]; what is unknown is left out. */
function facts(pairs)
{
    return element('dl', { class: 'facts' }, ...pairs.filter(([, value]) => value !== undefined && value !== '')
        .flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
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
    const kind = (column) => column.digits === undefined ? { class: 'text' } : {};
    const head = columns.map((column) => element('th', { scope: 'col', ...kind(column) }, column.name,
        ...(column.unit ? [' ', element('span', { class: 'unit' }, column.unit)] : [])));
    const body = rows.map((row) => element('tr', {}, ...row.map((value, i) =>
    {
        const text = typeof value === 'number' ? fixed(value, columns[i].digits) : value;
        return i === 0 ? element('th', { scope: 'row', ...kind(columns[0]) }, text) :
            element('td', kind(columns[i]), text);
    })));
    return element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, element('table', {},
        element('caption', {}, caption), element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body)));
}

/* Behind a plot; a long one is not printed. */
function details(shown)
{
    const isLong = shown.querySelectorAll('tbody tr').length > 40;
    return element('details', isLong ? {} : { 'data-printed': '' }, element('summary', {}, 'Figures'), shown);
}

function legend(series)
{
    return element('ul', { class: 'legend' }, ...series.map((one) => element('li', {},
        shape('svg', { width: 30, height: 14, 'aria-hidden': 'true' },
            ...(one.isLine ? [shape('path', { class: 'line ' + one.style, d: 'M1,7H29' })] : []),
            one.isBar ? shape('rect', { class: `bar ${one.style}${one.isPale ? ' pale' : ''}`, x: 8, y: 1, width: 14, height: 12 }) :
                shape('path', { class: 'mark ' + one.style, d: mark(one.style, 15, 7, 4) })), one.name)));
}

/* What the colours of a heat map stand for. */
function shades(low, high)
{
    const steps = [0, 0.25, 0.5, 0.75, 1].map((share, i) => shape('rect', { class: 'cell', x: i * 22, y: 1, width: 22,
        height: 14, 'fill-opacity': (0.04 + 0.96 * share).toFixed(3) }));
    return element('p', { class: 'scale' }, low, shape('svg', { width: 110, height: 16, 'aria-hidden': 'true' }, ...steps),
        high);
}

/* draw: from a width to an SVG. */
function figure(draw, shown, ...above)
{
    const host = element('div', { class: 'plot' });
    plots.push({ host, draw });
    return element('figure', {}, ...above, host, ...(shown ? [details(shown)] : []));
}

function drawAll(width)
{
    for (const { host, draw } of plots)
    {
        host.replaceChildren(draw(width || host.clientWidth));
    }
}

/* Paper has one width, and shows what stands behind the plots. */
function watchWidth()
{
    let opened = [];
    let drawn = 0;
    new ResizeObserver(([entry]) =>
    {
        if (Math.abs(entry.contentRect.width - drawn) >= 1 && !matchMedia('print').matches)
        {
            drawn = entry.contentRect.width;
            drawAll();
        }
    }).observe(document.getElementById('report'));
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
    drawAll();
}

/* The largest unit in which the value isn't less than one. */
function unitOf(micros)
{
    return micros >= 1e6 ? { name: 's', scale: 1e-6 } : micros >= 1e3 ? { name: 'ms', scale: 1e-3 } : { name: 'µs', scale: 1 };
}
