// Debian's Chromium for tests of the web application: one browser a process, its profiles and their pages used again.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { waitUntil } from './processes.ts';
import { shared } from './shared.ts';

/** Where Debian, Alpine and others put it, the cheapest first; CHROMIUM names another. */
const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
/** The browser of this machine; undefined where there is none. */
export const PROGRAM = PLACES.find(path => path !== undefined && existsSync(path));

/** For the `skip` of a test that needs a browser: false where there is one, else why it is skipped. */
export const NO_BROWSER =
  PROGRAM === undefined &&
  'There is no Chromium on this machine: apt-get install chromium-headless-shell, or name one by CHROMIUM.';

/** Errors of the machine: an address of it came or went, and the browser began its connections anew. */
const NOT_THE_PAGE = /net::ERR_NETWORK_CHANGED/;
/** Only a failure costs it: several test files run at once on a small machine. */
const ACTION_TIMEOUT_MS = 30_000;

/** A page of every service that has no script. */
const EMPTY_PATH = '/healthz';

/** For a person to look at. */
const SCREENSHOTS = join(import.meta.dirname, '../../test-output');

export interface View {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
}

export const WIDTHS = [390, 1440] as const;
export const VIEWS = [
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 1440, height: 900, colorScheme: 'dark' },
] as const satisfies readonly View[];

export interface TestBrowser {
  /** A page in a profile of its own, which is empty. What it writes to its console as an error is a fault of the test. */
  open(url: string, view?: View, cookie?: string): Promise<TestPage>;
  close(): Promise<void>;
}

export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors in the console and uncaught ones, as they come. */
  readonly errors: string[];
  /** For a test that changes the page for good, by a script of each load, a clock or fingers: no other test is given it. */
  discard(): void;
}

/** In containers there is neither a sandbox nor much shared memory. */
const PLAIN = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--process-per-site'];
/** Fewer processes, and no optimized code of scripts that live for a second: a twelfth less processor time. */
const THRIFTY = [
  ...PLAIN,
  '--in-process-gpu',
  '--enable-features=NetworkServiceInProcess2,CDPScreenshotNewSurface',
  '--js-flags=--no-maglev --no-turbofan',
];

type Profiles = 'emptied' | 'new';

const launcher = (args: readonly string[]) =>
  shared(async () => {
    const browser = await chromium.launch({ executablePath: PROGRAM ?? '', args: [...args] });
    const idle: Profile[] = [];
    return { browser, idle, close: () => browser.close() };
  });
const LAUNCH = { emptied: launcher(THRIFTY), new: launcher(PLAIN) };

/**
 * Call it in `before` and `close` in `after`. A page costs 1.3 s of processor time in a new profile and 0.3 s in one that was
 * emptied: its renderer has the application compiled. `new` is for who measures a first visit, in a browser as people have it.
 */
export async function openBrowser(profiles: Profiles = 'emptied'): Promise<TestBrowser> {
  const { browser, idle, close } = await LAUNCH[profiles]();
  return {
    open: async (url, view = VIEWS[2], cookie = undefined) => {
      await untilBundled(url);
      const found = idle.findIndex(profile => profile.url === url);
      const [profile = await createProfile(browser, url)] = found < 0 ? [] : idle.splice(found, 1);
      const { context, page } = profile;
      if (cookie !== undefined) {
        const [name = '', value = ''] = cookie.split('=', 2);
        await context.addCookies([{ name, value, url }]);
      }
      await show(page, view);
      const errors: string[] = [];
      page.on('console', message => {
        if (message.type() === 'error' && !NOT_THE_PAGE.test(message.text())) errors.push(message.text());
      });
      page.on('pageerror', error => errors.push(String(error)));
      let isSpoilt = false;
      const discard = (): void => {
        isSpoilt = true;
      };
      const release = async (): Promise<void> => {
        const emptied = profiles === 'new' ? undefined : await emptyProfile(profile, isSpoilt);
        if (emptied === undefined) await context.close();
        else idle.push(emptied);
      };
      return { page, context, errors, discard, [Symbol.asyncDispose]: release };
    },
    close,
  };
}

interface Profile {
  readonly url: string;
  readonly context: BrowserContext;
  /** It stays, so that the renderer does. */
  readonly page: Page;
  readonly session: CDPSession;
}

async function createProfile(browser: Browser, url: string): Promise<Profile> {
  const { width, height } = VIEWS[2];
  const context = await browser.newContext({
    viewport: { width, height },
    baseURL: url,
    locale: 'en-GB',
    timezoneId: 'Europe/Lisbon',
  });
  context.setDefaultTimeout(ACTION_TIMEOUT_MS);
  return { url, context, ...(await openPage(context)) };
}

async function openPage(context: BrowserContext): Promise<Pick<Profile, 'page' | 'session'>> {
  const page = await context.newPage();
  await page.goto(EMPTY_PATH);
  return { page, session: await context.newCDPSession(page) };
}

/**
 * Leaves one page and forgets what the pages kept and what the test did to the network and to the page; the cache of files
 * stays. Undefined where the service has ended.
 */
async function emptyProfile(profile: Profile, isSpoilt: boolean): Promise<Profile | undefined> {
  const { url, context } = profile;
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  await context.clearPermissions();
  let { page, session } = profile;
  try {
    if (isSpoilt || page.isClosed()) ({ page, session } = await openPage(context));
    else {
      page.removeAllListeners();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.mouse.move(-1, -1);
      await page.goto(EMPTY_PATH);
    }
  } catch {
    return undefined;
  }
  for (const other of context.pages()) if (other !== page) await other.close();
  await context.clearCookies();
  await page.evaluate('sessionStorage.clear()');
  await session.send('Storage.clearDataForOrigin', { origin: new URL(url).origin, storageTypes: 'all' });
  return { url, context, page, session };
}

/** The first pages of a service that has just started ask to wait, which a console counts as an error. */
async function untilBundled(url: string): Promise<void> {
  await waitUntil(
    'the application to be bundled',
    async () => (await fetch(`${url}/sign-in`)).status !== 503,
  );
}

/** As a reader's window that is resized and recoloured. */
async function show(page: Page, { width, height, colorScheme }: View): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme, reducedMotion: null });
}

/** Writes `test-output/<name>-<width>-<scheme>.png` where SCREENSHOTS is set: nobody looks at those of each run. */
export async function takeScreenshot(page: Page, name: string, { width, colorScheme }: View): Promise<void> {
  if (process.env.SCREENSHOTS === undefined) return;
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: true });
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

type AxeRules = 'all' | 'colours';

/** What axe-core is asked: all that it knows, its best practices included, or what another scheme may have changed. */
const AXE_OPTIONS: Readonly<Record<AxeRules, object>> = {
  all: {},
  colours: { runOnly: ['cat.color'] },
};

/** Asserts that axe-core finds nothing wrong with the page as it stands. */
export async function assertAccessible(page: Page, rules: AxeRules = 'all'): Promise<void> {
  // Through the debugger: the page's own policy refuses foreign scripts. One page is looked at many times.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await readFile(AXE, 'utf8'));
  // A colour on its way to another is neither: whatever ends is at its end. What lies outside of the window would not get there.
  await page.evaluate(`document.fonts.ready.then(() => document.getAnimations()
    .filter(each => each.effect.getComputedTiming().endTime !== Infinity)
    .forEach(each => each.finish()))`);
  const options = JSON.stringify({ resultTypes: ['violations'], ...AXE_OPTIONS[rules] });
  const result = (await page.evaluate(`axe.run(${options})`)) as AxeResult;
  const found = result.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary ?? ''}`),
  );
  assert.deepEqual(found, []);
}

/**
 * Shows the page in each of the four views, waits for what `isReady` says, and checks it with axe-core and for a quiet console.
 * It is opened once and then resized and recoloured, as a reader's window would be.
 */
export async function checkViews(
  browser: TestBrowser,
  { url, path, cookie, name }: { url: string; path: string; cookie?: string; name: string },
  isReady: (page: Page) => Promise<unknown>,
): Promise<void> {
  await using opened = await browser.open(url, VIEWS[0], cookie);
  await opened.page.goto(path);
  for (const width of WIDTHS) await checkWidth(opened, { width, name }, isReady);
}

/** The page as it stands in the two views of that width. */
export async function checkWidth(
  { page, errors }: TestPage,
  { width, name }: { readonly width: (typeof WIDTHS)[number]; readonly name: string },
  isReady: (page: Page) => Promise<unknown>,
): Promise<void> {
  for (const view of VIEWS.filter(each => each.width === width)) {
    await show(page, view);
    await isReady(page);
    await takeScreenshot(page, name, view);
    // The dark page has the elements of the light one, at the same places.
    await assertAccessible(page, view.colorScheme === 'light' ? 'all' : 'colours');
    const needed = await page.evaluate('document.documentElement.scrollWidth');
    assert.ok(Number(needed) <= width, `${page.url()} is ${needed} px wide at ${width}`);
    assert.deepEqual(errors, []);
  }
}
