// Drives Chromium for tests of the web application. The tests of a process share a browser and its profiles.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContext, CDPSession, Locator, Page } from 'playwright-core';
import { waitUntil } from './processes.ts';
import { shared } from './shared.ts';
import { isNightly } from './tier.ts';

/** Possible paths of Chromium. The first one that exists is used. */
const CHROMIUM_PATHS = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
/** The path of Chromium. Undefined if Chromium is not installed. */
export const CHROMIUM = CHROMIUM_PATHS.find(path => path !== undefined && existsSync(path));

/** The `skip` option of browser tests: the reason if Chromium is not installed, and otherwise false. */
export const BROWSER_MISSING_REASON: string | false =
  CHROMIUM === undefined &&
  'There is no Chromium on this machine: apt-get install chromium-headless-shell, or set CHROMIUM to its path.';

/** An error that the machine causes when its network addresses change. */
export const IGNORED_ERROR = /net::ERR_NETWORK_CHANGED/;
/** This is long, because several test files share a small machine. */
const ACTION_TIMEOUT_MS = 30_000;

/** The factor by which pages are slowed down, to find tests that rely on a fast machine, and clicks that pages lose. */
const SLOWDOWN = Number(process.env.SLOWDOWN ?? 1);

/** The path of a page without a script, which every service has. */
const EMPTY_PATH = '/healthz';

/** The folder of screenshots, which people review. */
const SCREENSHOT_FOLDER = join(import.meta.dirname, '../../test-output');

export interface View {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
}

export const VIEWS = [
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 1440, height: 900, colorScheme: 'dark' },
] as const satisfies readonly View[];

export interface TestBrowser {
  /** Opens a page in an empty profile, with the session cookie `name=value` if one is given. */
  open(url: string, view?: View, cookie?: string): Promise<TestPage>;
  close(): Promise<void>;
}

export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console errors and uncaught exceptions as they occur. */
  readonly errors: string[];
  /** Prevents the reuse of a page that the test changes permanently, for example with an init script or a fake clock. */
  discard(): void;
}

/** Arguments for containers, which have no sandbox and little shared memory. */
const BASE_ARGS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--process-per-site'];
/** Arguments for fewer processes and no optimizing compiler, which save a twelfth of the processor time. */
const LOW_CPU_ARGS = [
  ...BASE_ARGS,
  '--in-process-gpu',
  '--enable-features=NetworkServiceInProcess2,CDPScreenshotNewSurface',
  '--js-flags=--no-maglev --no-turbofan',
];

type ProfileMode = 'emptied' | 'new';

const createLauncher = (args: readonly string[]) =>
  shared(async () => {
    // Imported on demand, because tests in Node use only the types and sizes of this file.
    const { chromium } = await import('playwright-core');
    const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: [...args] });
    const idleProfiles: Profile[] = [];
    return { browser, idleProfiles, close: () => browser.close() };
  });
const LAUNCHERS = { emptied: createLauncher(LOW_CPU_ARGS), new: createLauncher(BASE_ARGS) };

/**
 * Call this function in `before`, and `close` in `after`. A page takes 1.3 s of processor time in a new profile and 0.3 s
 * in an emptied profile, whose renderer has already compiled the application. Use `new` to measure a first visit with
 * default browser settings.
 */
export async function openBrowser(profiles: ProfileMode = 'emptied'): Promise<TestBrowser> {
  const { browser, idleProfiles, close } = await LAUNCHERS[profiles]();
  return {
    open: async (url, view = VIEWS[2], cookie = undefined) => {
      await waitUntilBundled(url);
      const idleIndex = idleProfiles.findIndex(profile => profile.url === url);
      const [profile = await createProfile(browser, url)] =
        idleIndex < 0 ? [] : idleProfiles.splice(idleIndex, 1);
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
        const emptiedProfile = profiles === 'new' ? undefined : await emptyProfile(profile, isDiscarded);
        if (emptiedProfile === undefined) await context.close();
        else idleProfiles.push(emptiedProfile);
      };
      return { page, context, errors, discard, [Symbol.asyncDispose]: release };
    },
    close,
  };
}

interface Profile {
  readonly url: string;
  readonly context: BrowserContext;
  /** This page stays open, to keep the renderer alive. */
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
 * Resets the page, the storage and the network for the next test, but keeps the file cache. Returns undefined if the
 * service has stopped.
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

/** Waits until the service has bundled the application, because its pages reload themselves then. */
async function waitUntilBundled(url: string): Promise<void> {
  await waitUntil(
    'the application to be bundled',
    async () => !(await (await fetch(`${url}/sign-in`)).text()).includes('<h1>Starting…</h1>'),
  );
}

/** Resizes and recolors the page, as a user's window would be. */
export async function applyView(page: Page, { width, height, colorScheme }: View): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme, reducedMotion: null });
}

/**
 * Drags an element onto a position of the target, by default the top left corner. Dispatches the events directly, because
 * a test cannot wait for the time at which Chrome starts a drag of the mouse.
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
  await mkdir(SCREENSHOT_FOLDER, { recursive: true });
  await page.screenshot({
    path: join(SCREENSHOT_FOLDER, `${name}-${width}-${colorScheme}.png`),
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

/** The options of axe-core for all rules, including best practices, and for the rules that a color scheme can affect. */
const AXE_OPTIONS: Readonly<Record<AxeRules, object>> = {
  all: {},
  colors: { runOnly: ['cat.color'] },
};

/** Asserts that axe-core finds no violation on the page. */
export async function assertAccessible(page: Page, rules: AxeRules = 'all'): Promise<void> {
  // The debugger injects axe-core, because the page's policy blocks foreign scripts. A page that was checked before has it.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await readFile(AXE, 'utf8'));
  // Finishes transitions, because axe-core would misread colors during a transition. Transitions outside the viewport would
  // never finish.
  await page.evaluate(`document.fonts.ready.then(() => document.getAnimations()
    .filter(each => each.effect.getComputedTiming().endTime !== Infinity)
    .forEach(each => each.finish()))`);
  const options = JSON.stringify({ resultTypes: ['violations'], ...AXE_OPTIONS[rules] });
  // A tooltip is shown or not, depending on where the pointer was. It belongs to its control, not to a landmark.
  const result = (await page.evaluate(`axe.run({ exclude: ['[role="tooltip"]'] }, ${options})`)) as AxeResult;
  const violations = result.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary ?? ''}`),
  );
  assert.deepEqual(violations, []);
}

/**
 * Shows the page in the views of `checkLook`, waits for `isReady`, and checks it. The page is opened once and then resized
 * and recolored.
 */
export async function checkViews(
  browser: TestBrowser,
  { url, path, cookie, name }: { url: string; path: string; cookie?: string; name: string },
  isReady: (page: Page) => Promise<unknown>,
): Promise<void> {
  await using testPage = await browser.open(url, VIEWS[0], cookie);
  await testPage.page.goto(path);
  await checkLook(testPage, name, isReady);
}

/** Each width and each color scheme once. The elements of the other two views are the same. */
const MAIN_VIEWS: readonly View[] = [VIEWS[2], VIEWS[1]];

/**
 * Checks the current page as a light desktop and as a dark phone, at night in all views: for violations of axe-core, for
 * content that is wider than the window, and for console errors.
 */
export async function checkLook(
  testPage: TestPage,
  name: string,
  isReady: (page: Page) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const isComplete = isNightly || process.env.SCREENSHOTS !== undefined;
  for (const view of isComplete ? VIEWS : MAIN_VIEWS) await checkView(testPage, view, name, isReady);
  await applyView(testPage.page, VIEWS[2]);
}

async function checkView(
  { page, errors }: TestPage,
  view: View,
  name: string,
  isReady: (page: Page) => Promise<unknown>,
): Promise<void> {
  await applyView(page, view);
  await isReady(page);
  await takeScreenshot(page, name, view);
  // The dark page has the same elements as the light page, so only the colors are checked.
  await assertAccessible(page, view.colorScheme === 'light' ? 'all' : 'colors');
  await assertFits(page, view.width);
  assert.deepEqual(errors, []);
}

/** Windows up to this width show the rows of tables as cards, which do not scroll sideways. */
const CARDS_WIDTH = 599;

/** Lists what is wider than it may be: the page, and on phones the frames of tables. */
const LIST_WIDE = (width: number): string => `[
  ['the page', document.documentElement.scrollWidth, ${width}],
  ...[...document.querySelectorAll('${width > CARDS_WIDTH ? 'nothing' : ':has(> [role=table])'}')].map(frame => [
    frame.getAttribute('aria-label'), frame.scrollWidth, frame.clientWidth,
  ]),
].filter(([, content, space]) => content > space).map(([name, ...widths]) => name + ': ' + widths.join(' > '))`;

/** Waits until the content is not wider than the window, because scripts adapt it to a new width. */
export async function assertFits(page: Page, width: number): Promise<void> {
  const wide = LIST_WIDE(width);
  try {
    await page.waitForFunction(`${wide}.length === 0`);
  } catch {
    assert.deepEqual(await page.evaluate(wide), [], `${page.url()} is too wide at ${width}`);
  }
}
