// A page in Node with the names of Playwright's pages, so that one test can run in Node and in Chromium.
import type { UserEvent } from '@testing-library/user-event';
import { userEvent } from '@testing-library/user-event';
import { IDBFactory } from 'fake-indexeddb';
import { Window } from 'happy-dom';
import type { BrowserContext, Page } from 'playwright-core';
import type { View } from '../../support/browser.ts';
import { evaluateIn, type Globals } from './application.ts';
import { DomLocator, type LocatorHost, pressKey, retry, typeText, watchEscape } from './locator.ts';
import {
  addRoute,
  createNetwork,
  matchesUrl,
  type NetworkListener,
  type NetworkProfile,
  type ReceivedResponse,
  type Route,
  removeRoutes,
  type SentRequest,
  type UrlPattern,
} from './network.ts';
import { type OpenWindow, openWindow, type Storages } from './window.ts';

export interface DomContext {
  readonly context: BrowserContext;
  newPage(): Page;
  close(): Promise<void>;
}

interface Profile extends NetworkProfile {
  readonly storages: Storages;
  readonly errors: string[];
}

interface OpenPage {
  readonly page: Page;
  /** Tells the page that the network was lost or is back. */
  setOnline(isOnline: boolean): void;
  close(): Promise<void>;
}

/** Creates a profile, whose pages share cookies, storages and routes. */
export function createContext(
  origin: string,
  view: View,
  errors: string[],
  cookie: string | undefined,
): DomContext {
  const profile: Profile = {
    cookies: new Map(),
    routes: [],
    isOffline: false,
    storages: createStorages(origin),
    errors,
  };
  if (cookie !== undefined)
    profile.cookies.set(cookie.split('=', 1)[0] ?? '', cookie.slice(cookie.indexOf('=') + 1));
  const pages: OpenPage[] = [];
  const newPage = (): Page => {
    const opened = createPage(origin, view, profile);
    pages.push(opened);
    return opened.page;
  };
  const members = {
    newPage: async () => newPage(),
    cookies: async () => [...profile.cookies].map(([name, value]) => ({ name, value })),
    addCookies: async (cookies: readonly { name: string; value: string }[]) => {
      for (const { name, value } of cookies) profile.cookies.set(name, value);
    },
    clearCookies: async () => profile.cookies.clear(),
    // Tests need no permission in Node.
    grantPermissions: async () => undefined,
    setOffline: async (offline: boolean) => {
      profile.isOffline = offline;
      for (const { setOnline } of pages) setOnline(!offline);
    },
    route: async (
      pattern: UrlPattern,
      handler: (route: Route) => unknown,
      { times }: { times?: number } = {},
    ) => addRoute(profile.routes, { pattern, handler, times }),
    unroute: async (pattern: UrlPattern) => removeRoutes(profile.routes, pattern),
    unrouteAll: async () => removeRoutes(profile.routes),
  };
  return {
    context: refuseOthers(members, 'context') as unknown as BrowserContext,
    newPage,
    close: async () => {
      for (const { close } of pages) await close();
    },
  };
}

/** Opens a page of the service at this origin. It supports what tests of components need, and throws for all else. */
function createPage(origin: string, { width, height, colorScheme }: View, profile: Profile): OpenPage {
  const { errors, storages } = profile;
  const listeners = new Set<NetworkListener>();
  const network = createNetwork(origin, profile, (...event) => {
    for (const listener of listeners) listener(...event);
  });
  const initScripts: ((globals: Globals) => void)[] = [];
  let view = { width, height, colorScheme };
  let current: { readonly window: OpenWindow; readonly user: UserEvent } | undefined;
  let navigation: Promise<unknown> = Promise.resolve();
  /** How far the test has moved the clock, if it controls it. */
  let clockOffsetMs: number | undefined;

  const leave = async (): Promise<void> => {
    current?.window.hide();
    network.abort();
    await current?.window.close();
  };
  const load = async (url: string, init?: RequestInit): Promise<ReceivedResponse | null> => {
    if (url === 'about:blank') {
      await leave();
      current = undefined;
      return null;
    }
    const response = await network.fetch(url, {
      ...init,
      headers: { accept: 'text/html', 'sec-fetch-dest': 'document' },
    });
    const html = await response.text();
    await leave();
    const opened = await openWindow({
      // The fragment is not sent, and a redirect keeps it.
      url: new URL(new URL(url).hash, response.url === '' ? url : response.url).href,
      html,
      network,
      ...view,
      storages,
      onNavigate: (target, request) => void navigate(target, request),
      onError: text => errors.push(text),
      now: clockOffsetMs === undefined ? undefined : () => Date.now() + (clockOffsetMs ?? 0),
      initScripts,
    });
    watchEscape(opened.document);
    current = {
      window: opened,
      user: userEvent.setup({
        document: opened.document,
        delay: null,
        pointerEventsCheck: 0,
        applyAccept: false,
      }),
    };
    return null;
  };
  const navigate = (url: string, init?: RequestInit): Promise<ReceivedResponse | null> => {
    const next = navigation.then(() => load(new URL(url, origin).href, init));
    navigation = next.catch(err => errors.push(String(err)));
    return next;
  };
  const getCurrent = (): NonNullable<typeof current> => {
    if (current === undefined) throw new Error('Call page.goto first.');
    return current;
  };
  const host: LocatorHost = {
    window: () => getCurrent().window,
    user: () => getCurrent().user,
    settle: async () => {
      await new Promise(resolve => setImmediate(resolve));
      await navigation;
    },
  };
  // As `has` of a filter, the page stands for the filtered element.
  const root = new DomLocator(host, node => [(node as Document).documentElement ?? node], 'page');
  const url = (): string => current?.window.location.href ?? 'about:blank';
  const on = (listener: NetworkListener): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const waitFor = <T extends SentRequest | ReceivedResponse>(
    type: 'request' | 'response',
    pattern: UrlPattern | ((subject: T) => boolean | Promise<boolean>),
  ): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<T>();
    const stop = on((eventType, subject) => {
      if (eventType !== type) return;
      const matches =
        typeof pattern === 'function'
          ? (pattern as (each: T) => boolean | Promise<boolean>)(subject as T)
          : matchesUrl(pattern, new URL(subject.url()));
      void Promise.resolve(matches).then(isMatch => {
        if (!isMatch) return;
        stop();
        resolve(subject as T);
      });
    });
    return promise;
  };
  const evaluate = (pageFunction: unknown, argument?: unknown): unknown => {
    const value = evaluateIn(host.window().globals, String(pageFunction));
    return typeof pageFunction === 'function' ? (value as (argument: unknown) => unknown)(argument) : value;
  };

  const members = {
    getByRole: root.getByRole.bind(root),
    getByLabel: root.getByLabel.bind(root),
    getByText: root.getByText.bind(root),
    getByTitle: root.getByTitle.bind(root),
    getByPlaceholder: root.getByPlaceholder.bind(root),
    getByAltText: root.getByAltText.bind(root),
    locator: root.locator.bind(root),
    url,
    goto: (path: string) => navigate(path),
    reload: () => navigate(url()),
    goBack: async () => {
      host.window().globals.history instanceof Object && (host.window().globals.history as History).back();
      await host.settle();
    },
    content: async () => host.window().document.documentElement.outerHTML,
    title: async () => host.window().document.title,
    viewportSize: () => ({ width: view.width, height: view.height }),
    setViewportSize: async (size: { width: number; height: number }) => {
      view = { ...view, ...size };
    },
    evaluate: async (pageFunction: unknown, argument?: unknown) => evaluate(pageFunction, argument),
    evaluateHandle: async (pageFunction: unknown, argument?: unknown) => evaluate(pageFunction, argument),
    waitForFunction: (pageFunction: unknown, argument?: unknown) =>
      retry(host, String(pageFunction), async () => (await evaluate(pageFunction, argument)) || undefined),
    waitForURL: (pattern: UrlPattern) =>
      retry(
        host,
        `the URL ${pattern}, not ${url()}`,
        () => matchesUrl(pattern, new URL(url())) || undefined,
      ).then(() => navigation),
    waitForRequest: (pattern: UrlPattern) => waitFor<SentRequest>('request', pattern),
    waitForResponse: (pattern: UrlPattern) => waitFor<ReceivedResponse>('response', pattern),
    waitForLoadState: () => host.settle(),
    addInitScript: async (script: unknown, argument?: unknown) => {
      initScripts.push(globals => {
        const value = evaluateIn(globals, String(script));
        if (typeof script === 'function') (value as (argument: unknown) => unknown)(argument);
      });
    },
    route: async (pattern: UrlPattern, handler: (route: Route) => unknown, options?: { times?: number }) =>
      network.route(pattern, handler, options),
    unroute: async (pattern: UrlPattern) => network.unroute(pattern),
    emulateMedia: async (media: { readonly colorScheme?: View['colorScheme'] }) => {
      view = { ...view, ...media };
    },
    close: async () => {
      await navigation;
      await leave();
      current = undefined;
    },
    on: (type: string, listener: (subject: unknown) => void) => {
      on((eventType, subject) => {
        if (eventType === type) listener(subject);
      });
    },
    clock: {
      install: async () => {
        clockOffsetMs = 0;
      },
      /** Moves the clock by `hh:mm:ss`. Timers do not run. */
      fastForward: async (duration: string) => {
        const [hours = 0, minutes = 0, seconds = 0] = duration.split(':').map(Number);
        clockOffsetMs = (clockOffsetMs ?? 0) + ((hours * 60 + minutes) * 60 + seconds) * 1000;
      },
    },
    keyboard: {
      press: (key: string) => pressKey(host, key),
      type: (text: string) => typeText(host, text),
      insertText: (text: string) => typeText(host, text),
    },
  };
  return {
    page: refuseOthers(members, 'page') as unknown as Page,
    setOnline: isOnline => current?.window.setOnline(isOnline),
    close: members.close,
  };
}

/** Throws for the members of Playwright's object that this one lacks. */
function refuseOthers<T extends object>(members: T, name: string): T {
  return new Proxy(members, {
    get: (target, property) => {
      // A promise that resolves to the object looks for `then`.
      if (property in target || typeof property === 'symbol' || property === 'then')
        return Reflect.get(target, property);
      throw new Error(`${name}.${property} exists only in Chromium: use openBrowser.`);
    },
  });
}

/** Creates the storages of a page, which survive navigations. */
function createStorages(origin: string): Storages {
  const { localStorage, sessionStorage } = new Window({ url: origin });
  return {
    local: localStorage as unknown as Storage,
    session: sessionStorage as unknown as Storage,
    database: new IDBFactory(),
  };
}
