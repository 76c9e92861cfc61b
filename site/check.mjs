/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
// Opens the built site in headless Chromium: every page wide, narrow and dark, and the search. scripts/site --check
// runs it in target/docs. A page fails by an error on its console, a request that fails or leaves the server, a page
// that is wider than its window, a broken picture, and a link or an anchor that leads nowhere within the site.
// Screenshots are in shots/. In target/docs, "node check.mjs index.html docs/CLI.html" opens these pages only.
// Exit codes: 0 no page failed, 1 some did, 3 there is no Chromium.
// The browser is driven over the two pipes of --remote-debugging-pipe, so that this needs no library.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'

const SITE = path.resolve('site')
const SHOTS = path.resolve('shots')
const DEADLINE_MS = 30_000
const MAX_SHOT_HEIGHT = 4000
const MODES = {
    wide: { width: 1280, height: 900, scheme: 'light' },
    narrow: { width: 390, height: 844, scheme: 'light' },
    dark: { width: 1280, height: 900, scheme: 'dark' }
}
const TYPES = {
    '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json',
    '.svg': 'image/svg+xml', '.png': 'image/png', '.txt': 'text/plain'
}

const { base, released } = JSON.parse(fs.readFileSync('build.json', 'utf8'))
const versions = JSON.parse(fs.readFileSync('versions.json', 'utf8'))
const failures = new Set()

function fail(place, what)
{
    const line = `${place}: ${what}`
    if (!failures.has(line))
    {
        failures.add(line)
        console.log(line)
    }
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function until(what, condition)
{
    const end = Date.now() + DEADLINE_MS
    for (;;)
    {
        const value = await condition()
        if (value)
        {
            return value
        }
        if (Date.now() > end)
        {
            throw new Error(`not within ${DEADLINE_MS / 1000} s: ${what}`)
        }
        await sleep(20)
    }
}

/** File of the site for the path of a URL, or null. */
function fileOf(pathname)
{
    if (!pathname.startsWith(base))
    {
        return null
    }
    let file = path.join(SITE, decodeURIComponent(pathname.slice(base.length)))
    file = pathname.endsWith('/') ? path.join(file, 'index.html') : file
    return (file + path.sep).startsWith(SITE + path.sep) && fs.statSync(file, { throwIfNoEntry: false })?.isFile()
        ? file : null
}

function serve()
{
    const server = http.createServer((request, response) =>
    {
        const file = fileOf(new URL(request.url, 'http://localhost').pathname)
        const shown = file ?? path.join(SITE, '404.html')
        response.writeHead(file === null ? 404 : 200,
            { 'Content-Type': `${TYPES[path.extname(shown)] ?? 'application/octet-stream'}; charset=utf-8` })
        fs.createReadStream(shown).pipe(response)
    })
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

/** One page of a headless browser, which resolves no name. */
class Browser
{
    #process
    #profile = fs.mkdtempSync(path.join(os.tmpdir(), 'site-check-'))
    #answers = new Map()
    #commands = 0
    #received = ''
    #session
    /** Requests that are not answered, with what loads them: an earlier page may never finish its own. */
    #inFlight = new Map()
    #loader
    #loaded = false
    #origin
    /** The page that events belong to, by mode and name. */
    place = ''

    static async start(program, origin)
    {
        const browser = new Browser()
        browser.#origin = origin
        // The sandbox is left out, since root may not have one; all pages are our own.
        browser.#process = spawn(program, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
            '--hide-scrollbars', '--no-first-run', '--disable-background-networking', '--disable-component-update',
            '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--remote-debugging-pipe',
            `--user-data-dir=${browser.#profile}`, 'about:blank'],
        { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
        browser.#process.on('exit', (code) => browser.#end(new Error(`the browser ended with exit code ${code}`)))
        browser.#process.stdio[3].on('error', () => {})
        browser.#process.stdio[4].setEncoding('utf8').on('data', (text) => browser.#take(text))
        const { targetId } = await browser.tell('Target.createTarget', { url: 'about:blank' })
        browser.#session = (await browser.tell('Target.attachToTarget', { targetId, flatten: true })).sessionId
        for (const domain of ['Page', 'Network', 'Runtime', 'Log'])
        {
            await browser.tell(`${domain}.enable`)
        }
        return browser
    }

    tell(method, params = {})
    {
        const id = ++this.#commands
        const command = { id, method, params, ...(this.#session === undefined ? {} : { sessionId: this.#session }) }
        return new Promise((resolve, reject) =>
        {
            const timer = setTimeout(() => reject(new Error(`${method} has no answer`)), DEADLINE_MS)
            this.#answers.set(id, { resolve, reject, timer })
            this.#process.stdio[3].write(JSON.stringify(command) + '\0')
        })
    }

    #take(text)
    {
        const messages = (this.#received + text).split('\0')
        this.#received = messages.pop()
        for (const message of messages.map((json) => JSON.parse(json)))
        {
            const answer = this.#answers.get(message.id)
            if (answer === undefined)
            {
                this.#event(message.method, message.params)
                continue
            }
            this.#answers.delete(message.id)
            clearTimeout(answer.timer)
            if (message.error === undefined)
            {
                answer.resolve(message.result)
            }
            else
            {
                answer.reject(new Error(message.error.message))
            }
        }
    }

    #event(method, params)
    {
        switch (method)
        {
            case 'Page.loadEventFired':
                this.#loaded = true
                break
            case 'Network.requestWillBeSent':
                this.#inFlight.set(params.requestId, params.loaderId)
                if (!/^(data|blob|about):/.test(params.request.url) &&
                    new URL(params.request.url).origin !== this.#origin)
                {
                    fail(this.place, `asks for ${params.request.url}`)
                }
                break
            case 'Network.responseReceived':
                if (params.response.status >= 400)
                {
                    fail(this.place, `${params.response.status} for ${params.response.url}`)
                }
                break
            case 'Network.loadingFailed':
                if (!params.canceled)
                {
                    fail(this.place, `a request failed: ${params.errorText}`)
                }
                this.#inFlight.delete(params.requestId)
                break
            case 'Network.loadingFinished':
                this.#inFlight.delete(params.requestId)
                break
            case 'Runtime.consoleAPICalled':
                if (params.type === 'error' || params.type === 'assert')
                {
                    fail(this.place, `console: ${params.args.map((arg) => arg.value ?? arg.description).join(' ')}`)
                }
                break
            case 'Runtime.exceptionThrown':
                fail(this.place, `console: ${params.exceptionDetails.exception?.description ??
                    params.exceptionDetails.text}`)
                break
            case 'Log.entryAdded':
                if (params.entry.level === 'error')
                {
                    fail(this.place, `console: ${params.entry.text} ${params.entry.url ?? ''}`)
                }
                break
        }
    }

    async show({ width, height, scheme })
    {
        await this.tell('Emulation.setDeviceMetricsOverride',
            { width, height, deviceScaleFactor: 1, mobile: width < 600 })
        await this.tell('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] })
    }

    /** Opens a page of the site, and waits for its scripts and requests. */
    async open(place, url)
    {
        this.place = place
        this.#inFlight.clear()
        this.#loaded = false
        this.#loader = (await this.tell('Page.navigate', { url })).loaderId
        await until(`${place} is loaded`, () => this.#loaded)
        await until(`the scripts of ${place} run`, () => this.evaluate(() =>
            document.querySelector('#app') === null || '__vue_app__' in document.querySelector('#app')))
        await this.quiet()
    }

    /** Waits until the page asks for nothing more and has drawn what it has. */
    async quiet()
    {
        let since = Date.now()
        await until(`${this.place} asks for nothing more`, () =>
        {
            since = [...this.#inFlight.values()].includes(this.#loader) ? Date.now() : since
            return Date.now() - since > 60
        })
        await this.evaluate(() => new Promise((resolve) =>
            requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)))))
    }

    async evaluate(script, ...args)
    {
        const { result, exceptionDetails } = await this.tell('Runtime.evaluate', {
            expression: `(${script})(...${JSON.stringify(args)})`, awaitPromise: true, returnByValue: true })
        if (exceptionDetails !== undefined)
        {
            throw new Error(`${this.place}: ${exceptionDetails.exception?.description}`)
        }
        return result.value
    }

    async shoot(file, width, height)
    {
        const { data } = await this.tell('Page.captureScreenshot', {
            captureBeyondViewport: true, clip: { x: 0, y: 0, width, height, scale: 1 } })
        fs.mkdirSync(path.dirname(file), { recursive: true })
        fs.writeFileSync(file, Buffer.from(data, 'base64'))
    }

    /** A click in the middle of an element, or the pointer over it. */
    async point(selector, click)
    {
        const { x, y } = await until(`${selector} is on ${this.place}`, () => this.evaluate((wanted) =>
        {
            const box = [...document.querySelectorAll(wanted)].map((element) => element.getBoundingClientRect())
                .find((rectangle) => rectangle.width > 0)
            return box === undefined ? null : { x: box.x + box.width / 2, y: box.y + box.height / 2 }
        }, selector))
        for (const type of ['mouseMoved', ...(click ? ['mousePressed', 'mouseReleased'] : [])])
        {
            await this.tell('Input.dispatchMouseEvent', { type, x, y, button: click ? 'left' : 'none', clickCount: 1 })
        }
    }

    #end(error)
    {
        for (const { reject, timer } of this.#answers.values())
        {
            clearTimeout(timer)
            reject(error)
        }
        this.#answers.clear()
    }

    async close()
    {
        const ended = new Promise((resolve) => this.#process.on('exit', resolve))
        this.#process.kill()
        await ended
        fs.rmSync(this.#profile, { recursive: true, force: true, maxRetries: 10 })
    }
}

/** What is asked of a page, within it. */
async function look()
{
    const images = [...document.images]
    images.forEach((image) => { image.loading = 'eager' })
    await Promise.all(images.map((image) => image.decode().catch(() => {})))
    const root = document.documentElement
    return {
        width: Math.max(root.scrollWidth, document.body.scrollWidth, innerWidth),
        height: root.scrollHeight,
        dark: root.classList.contains('dark'),
        broken: images.filter((image) => image.naturalWidth === 0).map((image) => image.src),
        icon: document.querySelector('link[rel~=icon]')?.href ?? null,
        links: [...new Set([...document.querySelectorAll('a[href]')].map((link) => link.href))],
        anchors: [...document.querySelectorAll('[id], a[name]')].flatMap((element) => [element.id, element.name])
            .filter((name) => typeof name === 'string' && name !== '')
    }
}

/** Anchors by file: those of opened pages as the browser saw them. */
const anchors = new Map()

function anchorsOf(file)
{
    if (!anchors.has(file))
    {
        anchors.set(file, new Set(file.endsWith('.html')
            ? [...fs.readFileSync(file, 'utf8').matchAll(/\s(?:id|name)="([^"]*)"/g)].map((match) => match[1]) : []))
    }
    return anchors.get(file)
}

/** Sites of other versions, which are not here. */
function isOtherVersion(pathname)
{
    const root = released ? path.posix.join(base, '../') : base
    return [root, ...versions.map((version) => `${root}${version}/`)].includes(pathname)
}

function checkLink(place, origin, href)
{
    const url = new URL(href)
    if (url.origin !== origin)
    {
        return
    }
    const file = fileOf(url.pathname)
    const anchor = decodeURIComponent(url.hash.slice(1))
    if (file === null)
    {
        if (!isOtherVersion(url.pathname))
        {
            fail(place, `links to ${url.pathname}, which is not there`)
        }
    }
    else if (anchor !== '' && !anchorsOf(file).has(anchor))
    {
        fail(place, `links to ${url.pathname}#${anchor}, and the page has no such anchor`)
    }
}

async function checkSearch(browser, origin)
{
    await browser.show(MODES.wide)
    await browser.open('search', origin + base)
    await browser.point('.DocSearch-Button', true)
    await until('the search has a field',
        () => browser.evaluate(() => document.activeElement?.id === 'localsearch-input'))
    await browser.tell('Input.insertText', { text: 'credit' })
    const hits = await until('the search finds "credit"', () => browser.evaluate(() =>
    {
        const found = [...document.querySelectorAll('#localsearch-list a.result')].map((link) => link.href)
        return found.length > 0 ? found : null
    }))
    await browser.quiet()
    await browser.shoot(path.join(SHOTS, 'search.png'), MODES.wide.width, MODES.wide.height)
    hits.forEach((href) => checkLink('search', origin, href))
    return hits.length
}

async function checkChooser(browser, origin)
{
    await browser.open('versions', origin + base)
    await browser.point('.VPNavBarMenuGroup', false)
    const listed = await until('the versions are listed', () => browser.evaluate(() =>
        [...document.querySelectorAll('.VPNavBarMenuGroup .VPMenuLink')].filter((link) => link.offsetParent !== null)
            .map((link) => link.textContent.trim())))
    await sleep(400)
    await browser.shoot(path.join(SHOTS, 'versions.png'), MODES.wide.width, MODES.wide.height)
    versions.filter((version) => !listed.includes(version))
        .forEach((version) => fail('versions', `${version} is not listed`))
}

/** A page that does not answer does not keep others from being checked. */
async function attempt(place, step)
{
    try
    {
        await step()
    }
    catch (error)
    {
        fail(place, error.message)
    }
}

async function check(browser, origin)
{
    const all = fs.readdirSync(SITE, { recursive: true }).filter((name) => name.endsWith('.html')).sort()
    const isJavadoc = (name) => /^javadoc\/./.test(name) && name !== 'javadoc/index.html'
    const wanted = process.argv.slice(2)
    const pages = all.filter((name) => name !== '404.html' && !isJavadoc(name) &&
        (wanted.length === 0 || wanted.includes(name)))
    // The JDK made these: they are opened only to see that they work here.
    const javadoc = wanted.length > 0 ? [] : all.filter((name) => /^javadoc\/[^/]+\/index\.html$/.test(name))
    const links = []
    for (const [mode, shape] of Object.entries(MODES))
    {
        await browser.show(shape)
        for (const name of mode === 'wide' ? [...pages, ...javadoc] : pages)
        {
            const place = `${mode} ${name}`
            await attempt(place, async () =>
            {
                await browser.open(place, origin + base + name)
                const seen = await browser.evaluate(look)
                if (seen.width > shape.width)
                {
                    fail(place, `is ${seen.width} pixels wide, in a window of ${shape.width}`)
                }
                if (!name.startsWith('javadoc/') && seen.dark !== (shape.scheme === 'dark'))
                {
                    fail(place, `is ${seen.dark ? 'dark' : 'light'}`)
                }
                seen.broken.forEach((image) => fail(place, `has a broken picture: ${image}`))
                if (seen.icon === null)
                {
                    fail(place, 'has no icon')
                }
                links.push(...[seen.icon, ...seen.links].filter((href) => href !== null).map((href) => [place, href]))
                const file = path.join(SITE, name)
                anchors.set(file, new Set([...anchors.get(file) ?? [], ...seen.anchors]))
                await browser.shoot(path.join(SHOTS, mode, name.replace(/\.html$/, '.png')), shape.width,
                    Math.min(seen.height, MAX_SHOT_HEIGHT))
            })
        }
    }
    links.forEach(([place, href]) => checkLink(place, origin, href))
    for (const name of all.filter(isJavadoc))
    {
        if (!/<link rel="icon"/.test(fs.readFileSync(path.join(SITE, name), 'utf8')))
        {
            fail(name, 'has no icon')
        }
    }
    let hits = 0
    await attempt('search', async () => { hits = await checkSearch(browser, origin) })
    await attempt('versions', () => checkChooser(browser, origin))
    return `${pages.length} pages in ${Object.keys(MODES).length} modes, ${links.length} links, ` +
        `${javadoc.length} modules of Javadoc, ${hits} hits for "credit"`
}

const program = process.env.PATH.split(path.delimiter)
    .flatMap((folder) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => path.join(folder, name)))
    .find((file) => fs.existsSync(file))
if (program === undefined)
{
    console.error('site: there is no chromium: install it')
    process.exit(3)
}
fs.rmSync(SHOTS, { recursive: true, force: true })
const server = await serve()
const origin = `http://127.0.0.1:${server.address().port}`
const browser = await Browser.start(program, origin)
try
{
    const summary = await check(browser, origin)
    console.log(`${summary}: ${failures.size === 0 ? 'no failure' : `${failures.size} failures`}; ` +
        'screenshots are in target/docs/shots')
}
finally
{
    await browser.close()
    server.close()
    server.closeAllConnections()
}
process.exitCode = failures.size === 0 ? 0 : 1
