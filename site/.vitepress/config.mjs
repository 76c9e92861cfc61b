/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
// The site of docs/. scripts/site copies this folder to target/docs and the pages to target/docs/pages, in the tree of
// the repository: so each relative link means the same here and on the repository's own pages.
import fs from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vitepress'

const root = path.resolve(import.meta.dirname, '..')
const pages = path.join(root, 'pages')
// Written by scripts/site: {repository, version, released, commit, base, javadoc}.
const build = JSON.parse(fs.readFileSync(path.join(root, 'build.json'), 'utf8'))
// Released versions, newest first.
const versions = JSON.parse(fs.readFileSync(path.join(root, 'versions.json'), 'utf8'))

// In the order in which a reader needs them.
const chapters = [
    ['Start', [
        ['Why Transload', 'docs/why.md'],
        ['Overview', 'README.md'],
        ['Quick start', 'docs/quick-start.md'],
        ['Concepts', 'docs/concepts.md'],
        ['Coming from DeepEP, NCCL, NIXL, MPI', 'docs/coming-from.md'],
        ['Installing', 'docs/INSTALLING.md'],
        ['Compatibility', 'docs/compatibility.md'],
        ['Security', 'docs/security.md']]],
    ['Use it', [
        ['Embedding the engine', 'docs/EMBEDDING.md'],
        ['Low-latency mode', 'docs/low-latency.md'],
        ['Membership', 'docs/membership.md'],
        ['Python', 'docs/python.md'],
        ['Spark', 'docs/spark.md'],
        ['DJL', 'docs/djl.md'],
        ['Writing a transport', 'docs/WRITING-A-TRANSPORT.md']]],
    ['Operate it', [
        ['Command line', 'docs/CLI.md'],
        ['Configuration', 'docs/CONFIGURATION.md'],
        ['Operating an engine', 'docs/operating.md'],
        ['Watching an engine', 'docs/observability.md'],
        ['Reports', 'docs/report.md'],
        ['Tuning', 'docs/tuning.md'],
        ['Sizing', 'docs/sizing.md'],
        ['Clusters, Kubernetes, Slurm', 'docs/clusters.md'],
        ['RDMA from zero', 'docs/rdma.md'],
        ['Troubleshooting', 'docs/TROUBLESHOOTING.md']]],
    ['Fabrics', [
        ['UCX', 'docs/ucx.md'],
        ['NVLink', 'docs/nvlink.md'],
        ['HCCS', 'docs/hccs.md']]],
    ['Reference', [
        ['Command line options', 'docs/reference/cli.md'],
        ['JSON of the command line', 'docs/reference/json.md'],
        ['Configuration keys', 'docs/reference/configuration.md'],
        ['Rules of the SPI', 'docs/reference/spi-rules.md'],
        ['Performance', 'docs/performance.md'],
        ['Architecture', 'docs/ARCHITECTURE.md'],
        ['Glossary', 'docs/GLOSSARY.md'],
        ['Changelog', 'CHANGELOG.md'],
        ['Contributing', 'CONTRIBUTING.md']]]]

const exists = (page) => fs.existsSync(path.join(pages, page))
const url = (page) => '/' + page.replace(/\.md$/, '')

// The first heading of a page, without marks.
function title(page)
{
    const line = fs.readFileSync(path.join(pages, page), 'utf8').split('\n').find((text) => text.startsWith('# '))
    return line === undefined ? page : line.slice(2).replaceAll('`', '')
}

function sidebar()
{
    const listed = new Set(chapters.flatMap(([, entries]) => entries.map(([, page]) => page)))
    const others = fs.readdirSync(path.join(pages, 'docs')).filter((name) => name.endsWith('.md'))
        .map((name) => 'docs/' + name).filter((page) => !listed.has(page)).map((page) => [title(page), page])
    const decisions = fs.readdirSync(path.join(pages, 'docs/decisions')).filter((name) => /^\d.*\.md$/.test(name)).sort()
        .map((name) => 'docs/decisions/' + name)
    const groups = [...chapters, ...(others.length > 0 ? [['More', others]] : [])].map(([text, entries]) => ({
        text,
        items: entries.filter(([, page]) => exists(page)).map(([name, page]) => ({ text: name, link: url(page) }))
    }))
    if (build.javadoc)
    {
        groups.find((group) => group.text === 'Reference').items.unshift(
            { text: 'Java API', link: '/javadoc/index.html', target: '_self' })
    }
    groups.push({
        text: 'Decisions',
        collapsed: true,
        items: [{ text: 'All decisions', link: url('docs/decisions/README.md') },
            ...decisions.map((page) => ({ text: title(page), link: url(page) }))]
    })
    return groups
}

// Each version is a site of its own; those of releases are folders of the development version's. Links between versions
// are not for the router, which knows the pages of one.
function chooser()
{
    const development = build.released ? '/../' : '/'
    return {
        text: build.version,
        items: [
            { text: 'Changelog', link: url('CHANGELOG.md') },
            {
                text: 'Versions',
                items: [
                    ['In development', development],
                    ...versions.map((version) => [version, development + version + '/'])
                ].map(([text, link]) => ({ text, link, target: '_self', activeMatch: '^$' }))
            }]
    }
}

// Anchors as the repository's own pages have them, so that links with #… lead to the same place.
function slug(text)
{
    return text.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '').replaceAll(' ', '-')
}

// Sources that a page links to are copied to the site, as text that a browser shows. Folders cannot be shown.
const shown = /\.(txt|json|svg|png)$/
const sources = new Set()

function linkSources(md)
{
    md.core.ruler.push('transload-sources', (state) =>
    {
        const page = path.dirname(state.env.path)
        for (const block of state.tokens)
        {
            // A bare name would be a module's.
            for (const html of [block, ...block.children ?? []].filter((token) => token.type.startsWith('html_')))
            {
                html.content = html.content.replace(/(<img[^>]* src=")(?![a-z]+:|[./])/g, '$1./')
            }
            let dropped = false
            for (const token of block.children ?? [])
            {
                if (token.type === 'link_close' && dropped)
                {
                    token.type = 'text'
                    token.tag = token.content = ''
                    token.nesting = 0
                    dropped = false
                }
                const href = token.type === 'link_open' ? token.attrGet('href') : null
                if (href === null || /^(#|\/|[a-z]+:)/.test(href) || /\.md(#|$)/.test(href))
                {
                    continue
                }
                const file = path.relative(pages, path.resolve(page, decodeURI(href)))
                const original = path.join(build.repository, file)
                if (fs.statSync(original).isFile())
                {
                    sources.add(file)
                    token.attrSet('href', build.base + file + (shown.test(file) ? '' : '.txt'))
                    token.attrSet('target', '_self')
                }
                else
                {
                    token.type = 'text'
                    token.tag = token.content = ''
                    token.attrs = null
                    token.nesting = 0
                    dropped = true
                }
            }
        }
    })
}

// Keys and options that a cell of a table shows on one line.
function markNames(md)
{
    md.core.ruler.push('transload-names', (state) =>
    {
        state.tokens.flatMap((block) => block.children ?? [])
            .filter((token) => token.type === 'code_inline' && /^(?=.{1,24}$)\S+( \S+)?$/.test(token.content))
            .forEach((token) => token.attrJoin('class', 'name'))
    })
}

export default defineConfig({
    title: 'Transload',
    description: 'Expert-parallel communication for Mixture-of-Experts models, as a Java library',
    lang: 'en',
    base: build.base,
    srcDir: 'pages',
    outDir: 'site',
    cacheDir: '.cache',
    metaChunk: true,
    head: [['link', { rel: 'icon', type: 'image/svg+xml', href: build.base + 'icon.svg' }]],
    markdown: {
        anchor: { slugify: slug },
        languageAlias: { hocon: 'properties' },
        config(md)
        {
            linkSources(md)
            markNames(md)
        }
    },
    themeConfig: {
        search: { provider: 'local' },
        outline: { level: [2, 3], label: 'On this page' },
        externalLinkIcon: true,
        nav: [
            { text: 'Quick start', link: url('docs/quick-start.md') },
            { text: 'Concepts', link: url('docs/concepts.md') },
            { text: 'Embedding', link: url('docs/EMBEDDING.md') },
            { text: 'Command line', link: url('docs/CLI.md') },
            chooser()
        ],
        sidebar: sidebar(),
        footer: { message: 'Transload ' + build.version + ' (' + build.commit + '). Apache License 2.0.' }
    },
    buildEnd(config)
    {
        for (const file of sources)
        {
            const copy = path.join(config.outDir, file + (shown.test(file) ? '' : '.txt'))
            fs.mkdirSync(path.dirname(copy), { recursive: true })
            fs.copyFileSync(path.join(build.repository, file), copy)
        }
    }
})
