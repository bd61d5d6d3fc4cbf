// Drives Debian's Chromium for tests of the web application: one browser per process, with profiles and pages reused.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type CDPSession,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { waitUntil } from './processes.ts';
import { shared } from './shared.ts';

/** Where Debian, Alpine and others install it, the cheapest first. CHROMIUM overrides it. */
const CANDIDATES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
/** The browser of this machine; undefined if there is none. */
export const CHROMIUM = CANDIDATES.find(path => path !== undefined && existsSync(path));

/** For the `skip` option of browser tests: false if there is a browser, else the reason. */
export const NO_BROWSER =
  CHROMIUM === undefined &&
  'There is no Chromium on this machine: apt-get install chromium-headless-shell, or set CHROMIUM to its path.';

/** Errors caused by the machine: its network addresses changed, and the browser reset its connections. */
const IGNORED_ERROR = /net::ERR_NETWORK_CHANGED/;
/** A long timeout costs time only when a test fails; several test files share a small machine. */
const ACTION_TIMEOUT_MS = 30_000;

/** Slows pages down by this factor, to find tests that rely on a fast machine, and clicks that a slow page loses. */
const SLOWDOWN = Number(process.env.SLOWDOWN ?? 1);

/** A page of every service that has no script. */
const EMPTY_PATH = '/healthz';

/** For screenshots that a person reviews. */
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
  /** A page in an empty profile of its own. Console errors fail the test. */
  open(url: string, view?: View, cookie?: string): Promise<TestPage>;
  close(): Promise<void>;
}

export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console errors and uncaught exceptions as they occur. */
  readonly errors: string[];
  /**
   * For tests that change a page permanently, with an init script, a fake clock or touch input. The page is not reused.
   */
  discard(): void;
}

/** Containers have no sandbox and little shared memory. */
const BASE_ARGS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--process-per-site'];
/** Fewer processes and no optimizing compiler for short-lived scripts: saves a twelfth of the processor time. */
const LOW_CPU_ARGS = [
  ...BASE_ARGS,
  '--in-process-gpu',
  '--enable-features=NetworkServiceInProcess2,CDPScreenshotNewSurface',
  '--js-flags=--no-maglev --no-turbofan',
];

type ProfileMode = 'emptied' | 'new';

const createLauncher = (args: readonly string[]) =>
  shared(async () => {
    const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: [...args] });
    const idle: Profile[] = [];
    return { browser, idle, close: () => browser.close() };
  });
const LAUNCH = { emptied: createLauncher(LOW_CPU_ARGS), new: createLauncher(BASE_ARGS) };

/**
 * Call in `before`, and `close` in `after`. A page takes 1.3 s of processor time in a new profile and 0.3 s in a
 * cleared one, whose renderer has already compiled the application. Use `new` to measure a first visit with default
 * browser settings.
 */
export async function openBrowser(profiles: ProfileMode = 'emptied'): Promise<TestBrowser> {
  const { browser, idle, close } = await LAUNCH[profiles]();
  return {
    open: async (url, view = VIEWS[2], cookie = undefined) => {
      await waitUntilBundled(url);
      const idleIndex = idle.findIndex(profile => profile.url === url);
      const [profile = await createProfile(browser, url)] = idleIndex < 0 ? [] : idle.splice(idleIndex, 1);
      const { context, page } = profile;
      if (cookie !== undefined) {
        const [name = '', value = ''] = cookie.split('=', 2);
        await context.addCookies([{ name, value, url }]);
      }
      await applyView(page, view);
      const errors: string[] = [];
      page.on('console', message => {
        if (message.type() === 'error' && !IGNORED_ERROR.test(message.text())) errors.push(message.text());
      });
      page.on('pageerror', error => errors.push(String(error)));
      let isDiscarded = false;
      const discard = (): void => {
        isDiscarded = true;
      };
      const release = async (): Promise<void> => {
        const emptied = profiles === 'new' ? undefined : await emptyProfile(profile, isDiscarded);
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
  /** Stays open to keep the renderer alive. */
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
  if (SLOWDOWN > 1) context.on('page', page => void slowDown(page).catch(() => undefined));
  return { url, context, ...(await openPage(context)) };
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
}

async function openPage(context: BrowserContext): Promise<Pick<Profile, 'page' | 'session'>> {
  const page = await context.newPage();
  await page.goto(EMPTY_PATH);
  return { page, session: await context.newCDPSession(page) };
}

/**
 * Leaves the page and clears its storage and the test's changes to network and page. Keeps the file cache. Does nothing
 * if the service has stopped.
 */
async function emptyProfile(profile: Profile, isDiscarded: boolean): Promise<Profile | undefined> {
  const { url, context } = profile;
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  await context.clearPermissions();
  let { page, session } = profile;
  try {
    if (isDiscarded || page.isClosed()) ({ page, session } = await openPage(context));
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

/** Pages of a service that has just started say that it is starting, and reload themselves. */
async function waitUntilBundled(url: string): Promise<void> {
  await waitUntil(
    'the application to be bundled',
    async () => !(await (await fetch(`${url}/sign-in`)).text()).includes('<h1>Starting…</h1>'),
  );
}

/** Resizes and recolors the page, as a user's window would be. */
async function applyView(page: Page, { width, height, colorScheme }: View): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme, reducedMotion: null });
}

/**
 * Drags an element onto a position of another one, by default its top left corner. Dispatches the events directly,
 * because Chrome starts its own drag for a moved mouse at a time that a test cannot wait for.
 */
export async function dragOnto(
  source: Locator,
  target: Locator,
  offset: { readonly x: number; readonly y: number } = { x: 1, y: 1 },
): Promise<void> {
  const dataTransfer = await source.page().evaluateHandle('new DataTransfer()');
  const box = await target.boundingBox();
  const event = { dataTransfer, clientX: (box?.x ?? 0) + offset.x, clientY: (box?.y ?? 0) + offset.y };
  await source.dispatchEvent('dragstart', { dataTransfer });
  for (const type of ['dragenter', 'dragover', 'drop']) await target.dispatchEvent(type, event);
  await source.dispatchEvent('dragend', { dataTransfer });
}

/** Writes `test-output/<name>-<width>-<scheme>.png` if SCREENSHOTS is set. */
export async function takeScreenshot(page: Page, name: string, { width, colorScheme }: View): Promise<void> {
  if (process.env.SCREENSHOTS === undefined) return;
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({
    path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`),
    fullPage: true,
    animations: 'disabled',
  });
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

type AxeRules = 'all' | 'colors';

/** Which axe-core rules to run: all, best practices included, or only those that a color scheme can affect. */
const AXE_OPTIONS: Readonly<Record<AxeRules, object>> = {
  all: {},
  colors: { runOnly: ['cat.color'] },
};

/** Asserts that axe-core finds no violation on the page. */
export async function assertAccessible(page: Page, rules: AxeRules = 'all'): Promise<void> {
  // Injected through the debugger because the page's policy blocks foreign scripts. Once per page, because a page is
  // checked many times.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await readFile(AXE, 'utf8'));
  // Finishes transitions, since colors halfway through one would be misread. Those outside the viewport would never
  // finish.
  await page.evaluate(`document.fonts.ready.then(() => document.getAnimations()
    .filter(each => each.effect.getComputedTiming().endTime !== Infinity)
    .forEach(each => each.finish()))`);
  const options = JSON.stringify({ resultTypes: ['violations'], ...AXE_OPTIONS[rules] });
  const result = (await page.evaluate(`axe.run(${options})`)) as AxeResult;
  const violations = result.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary ?? ''}`),
  );
  assert.deepEqual(violations, []);
}

/**
 * Shows the page in each of the four views, waits for `isReady`, and checks it with axe-core and for console errors.
 * The page is opened once and then resized and recolored, as a user's window would be.
 */
export async function checkViews(
  browser: TestBrowser,
  { url, path, cookie, name }: { url: string; path: string; cookie?: string; name: string },
  isReady: (page: Page) => Promise<unknown>,
): Promise<void> {
  await using testPage = await browser.open(url, VIEWS[0], cookie);
  await testPage.page.goto(path);
  for (const width of WIDTHS) await checkWidth(testPage, { width, name }, isReady);
}

/** Checks the current page in the two views of that width. */
export async function checkWidth(
  { page, errors }: TestPage,
  { width, name }: { readonly width: (typeof WIDTHS)[number]; readonly name: string },
  isReady: (page: Page) => Promise<unknown>,
): Promise<void> {
  for (const view of VIEWS.filter(each => each.width === width)) {
    await applyView(page, view);
    await isReady(page);
    await takeScreenshot(page, name, view);
    // The dark page has the same elements as the light one, at the same places.
    await assertAccessible(page, view.colorScheme === 'light' ? 'all' : 'colors');
    const scrollWidth = await page.evaluate('document.documentElement.scrollWidth');
    assert.ok(Number(scrollWidth) <= width, `${page.url()} is ${scrollWidth} px wide at ${width}`);
    assert.deepEqual(errors, []);
  }
}
