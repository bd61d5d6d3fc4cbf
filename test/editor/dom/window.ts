// Opens a window of happy-dom with the HTML of a page of the service, and runs the web application in it.
import { IDBKeyRange, IDBObjectStore } from 'fake-indexeddb';
import { Window } from 'happy-dom';
import { createApplication, type Globals, loadApplication, runScript } from './application.ts';
import { createEventSources } from './event-source.ts';
import type { Network } from './network.ts';
import { createWorkerClass } from './worker.ts';

export interface WindowOptions {
  readonly url: string;
  readonly html: string;
  readonly network: Network;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
  /** The storages of earlier windows of the same page. */
  readonly storages: Storages;
  /** Called instead of a navigation to another page, or for `location.reload()`. */
  readonly onNavigate: (url: string, init?: RequestInit) => void;
  readonly onError: (text: string) => void;
  /** The current time, if the test sets it. */
  readonly now: (() => number) | undefined;
  /** Run before the application, with the globals of the window. */
  readonly initScripts: readonly ((globals: Globals) => void)[];
}

export interface Storages {
  readonly local: Storage;
  readonly session: Storage;
  readonly database: IDBFactory;
}

export interface OpenWindow {
  readonly document: Document;
  readonly globals: Globals;
  readonly location: Location;
  /** Tells the page that the network was lost or is back. */
  setOnline(isOnline: boolean): void;
  /** Tells the page that it is left. */
  hide(): void;
  close(): Promise<void>;
}

/** Node's own web APIs, such as fetch and FormData, accept each other. All other globals are the window's. */
const NODE_GLOBALS = new Set(Object.getOwnPropertyNames(globalThis));
for (const name of ['Event', 'EventTarget', 'CustomEvent', 'MessageEvent', 'navigator', 'Storage'])
  NODE_GLOBALS.delete(name);
// Closing the window clears its timers.
for (const name of ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval']) NODE_GLOBALS.delete(name);
/** The language and the time zone of the profiles in Chromium. */
const createFormat = ([locales = 'en-GB', options]: readonly [
  locales?: string,
  options?: Intl.DateTimeFormatOptions,
]): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(locales, { ...options, timeZone: options?.timeZone ?? 'Europe/Lisbon' });
const INTL = Object.create(Intl, {
  DateTimeFormat: {
    value: new Proxy(Intl.DateTimeFormat, {
      construct: (_, parameters) => createFormat(parameters as []),
      apply: (_, __, parameters) => createFormat(parameters as []),
    }),
  },
});
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Opens the window and starts the application, if the page contains it. */
export async function openWindow(options: WindowOptions): Promise<OpenWindow> {
  const { url, html, network, width, height, colorScheme, storages, onNavigate, onError, now } = options;
  const window = new Window({
    url,
    width,
    height,
    settings: {
      disableCSSFileLoading: true,
      disableJavaScriptFileLoading: true,
      disableIframePageLoading: true,
      navigation: {
        disableMainFrameNavigation: true,
        disableChildFrameNavigation: true,
        disableChildPageNavigation: true,
        disableFallbackToSetURL: true,
      },
      device: { prefersColorScheme: colorScheme },
    },
  } as ConstructorParameters<typeof Window>[0]);
  const document = window.document as unknown as Document;
  document.write(html);
  const location = createLocation(window.location as unknown as Location, onNavigate);
  const eventSources = createEventSources(network.fetch);
  const globals = listGlobals(window, {
    fetch: network.fetch,
    EventSource: eventSources.EventSource,
    FormData: FormDataOfPage,
    Intl: INTL,
    IntersectionObserver: createIntersectionObserver(),
    Worker: createWorkerClass(onError),
    indexedDB: storages.database,
    IDBKeyRange,
    ...(now === undefined ? {} : { Date: createDate(now) }),
    IDBObjectStore,
    location,
    localStorage: storages.local,
    sessionStorage: storages.session,
    console: { ...console, error: (...parts: unknown[]) => onError(parts.map(String).join(' ')) },
  });
  // Browsers without popovers show no tooltips.
  Reflect.deleteProperty(window.HTMLElement.prototype, 'popover');
  giveSizes(window, width, height);
  shortenStyles(window);
  window.addEventListener('error', event => onError(String((event as unknown as ErrorEvent).error)));
  document.execCommand = (command, _, text = '') => insertText(document, command, text);
  for (const type of ['mousedown', 'mousemove', 'mouseup']) window.addEventListener(type, setView, true);
  ignoreHistoryHashes(window);
  silenceHistory(window);
  reflectAria(window);
  followLinks(document, url, onNavigate);
  submitForms(document, url, onNavigate);
  for (const run of options.initScripts) run(globals);
  const stop = document.getElementById('app') === null ? undefined : await start(globals);
  if (stop === undefined) await runScripts(document, network, globals);
  return {
    document,
    globals,
    location,
    setOnline: isOnline => {
      Object.defineProperty(window.navigator, 'onLine', { value: isOnline, configurable: true });
      window.dispatchEvent(new window.Event(isOnline ? 'online' : 'offline'));
    },
    hide: () => void window.dispatchEvent(new window.Event('pagehide')),
    close: async () => {
      stop?.();
      eventSources.close();
      await window.happyDOM.close();
    },
  };
}

async function start(globals: Globals): Promise<() => void> {
  return createApplication(await loadApplication(), globals).start();
}

/** Runs the scripts of a page that the service renders, such as that of an app. */
async function runScripts(document: Document, network: Network, globals: Globals): Promise<void> {
  for (const { type, src } of document.querySelectorAll<HTMLScriptElement>('script[src]'))
    if (type === '' || type === 'text/javascript' || type === 'module')
      runScript(await (await network.fetch(src)).text(), globals);
}

function listGlobals(window: Window, overrides: Globals): Globals {
  const target = window as unknown as Record<string, unknown>;
  const names = new Set<string>();
  for (
    let each: object = window;
    each !== Object.prototype && each !== null;
    each = Object.getPrototypeOf(each)
  )
    for (const name of Object.getOwnPropertyNames(each)) names.add(name);
  const entries = [...names, 'window', 'self']
    .filter(name => IDENTIFIER.test(name) && !NODE_GLOBALS.has(name))
    .map(name => [name, bind(target, name)] as const);
  const globals: Record<string, unknown> = { ...Object.fromEntries(entries), ...overrides };
  const live = { ...overrides };
  const view = new Proxy(target, {
    get: (_, name) => (Object.hasOwn(live, name) ? live[name as string] : bind(target, name as string)),
    set: (_, name, value) => {
      if (name !== 'fetch' && Object.hasOwn(globals, name)) globals[name as string] = value;
      if (!Object.hasOwn(live, name)) return Reflect.set(target, name, value);
      live[name as string] = value;
      return true;
    },
  });
  // A test can replace `window.fetch` while the application runs.
  const callFetch = (...parameters: unknown[]): unknown =>
    (live.fetch as (...all: unknown[]) => unknown)(...parameters);
  return Object.assign(globals, { window: view, self: view, globalThis: view, fetch: callFetch });
}

/** A function of the window is called without the window as `this`; a class is not bound. */
function bind(target: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = target[name];
  return typeof value === 'function' && /^[a-z]/.test(name) ? value.bind(target) : value;
}

/** The dates of a window whose clock the test sets. */
function createDate(now: () => number): unknown {
  return class extends Date {
    constructor(...parts: readonly number[]) {
      super(...((parts.length === 0 ? [now()] : parts) as [number]));
    }
    static override now(): number {
      return now();
    }
  };
}

/** The location whose assignments and reloads are navigations of the test's page. */
function createLocation(real: Location, onNavigate: (url: string) => void): Location {
  const navigate = (url: string | URL): void => onNavigate(new URL(String(url), real.href).href);
  const methods: Readonly<Record<string, unknown>> = {
    assign: navigate,
    replace: navigate,
    reload: () => onNavigate(real.href),
    toString: () => real.href,
  };
  return new Proxy(real, {
    get: (_, name) => methods[name as string] ?? Reflect.get(real, name, real),
    set: (_, name, value) => {
      if (name === 'href') navigate(String(value));
      else Reflect.set(real, name, value, real);
      return true;
    },
  });
}

/** Gives a mouse event the window, which libraries for gestures read. */
function setView(event: object): void {
  const { view, target } = event as { readonly view: unknown; readonly target: Node | null };
  if (view === null) Object.defineProperty(event, 'view', { value: target?.ownerDocument?.defaultView });
}

/** Browsers report changes of the hash only by links and the address bar, but happy-dom also those by the history. */
function ignoreHistoryHashes(window: Window): void {
  const { history, location } = window;
  const hrefs = new Set<string>();
  for (const name of ['pushState', 'replaceState'] as const) {
    const change = history[name].bind(history);
    history[name] = (...parts) => {
      const { hash } = location;
      change(...parts);
      if (location.hash !== hash) hrefs.add(location.href);
    };
  }
  window.addEventListener('hashchange', event => {
    if (hrefs.delete((event as unknown as HashChangeEvent).newURL)) event.stopImmediatePropagation();
  });
}

/** Without layout, each observed element counts as visible. */
function createIntersectionObserver(): unknown {
  return class {
    readonly #callback: (entries: readonly object[]) => void;
    readonly #timers = new Map<Element, NodeJS.Immediate>();
    constructor(callback: (entries: readonly object[]) => void) {
      this.#callback = callback;
    }
    observe(target: Element): void {
      const entry = { target, isIntersecting: true, intersectionRatio: 1 };
      this.#timers.set(
        target,
        setImmediate(() => this.#callback([entry])),
      );
    }
    unobserve(target: Element): void {
      clearImmediate(this.#timers.get(target));
    }
    disconnect(): void {
      for (const timer of this.#timers.values()) clearImmediate(timer);
    }
  };
}

/** Without layout, each element is as large as the view, so that virtual lists render their first rows. */
function giveSizes(window: Window, width: number, height: number): void {
  for (const [name, value] of [
    ['offsetWidth', width],
    ['offsetHeight', height],
    ['clientWidth', width],
    ['clientHeight', height],
  ] as const)
    Object.defineProperty(window.HTMLElement.prototype, name, { configurable: true, get: () => value });
}

/** The value of inherited properties that no element sets. */
const INITIAL_VALUES: Readonly<Record<string, string>> = { visibility: 'visible', pointerEvents: 'auto' };

/**
 * Finds the computed properties that queries and clicks read without the computation of all properties, which happy-dom
 * repeats for each. Only shadow roots have style sheets.
 */
function shortenStyles(window: Window): void {
  type Style = Record<string, string> & { getPropertyValue(name: string): string };
  const compute = window.getComputedStyle.bind(window) as unknown as (element: Element) => Style;
  const displays = new Map<string, string>();
  const isSetInline = (element: Element, property: string): boolean =>
    element.getAttribute('style')?.includes(property) === true;
  const readDisplay = (element: Element): string => {
    const tag = `${element.tagName} ${element.hasAttribute('open')} ${element.hasAttribute('hidden')}`;
    const display = displays.get(tag) ?? compute(element).display ?? '';
    displays.set(tag, display);
    return display;
  };
  const find = (element: Element, property: string): string | undefined => {
    if (!element.isConnected || element.getRootNode() !== element.ownerDocument) return undefined;
    if (property === 'display') return isSetInline(element, property) ? undefined : readDisplay(element);
    const initial = INITIAL_VALUES[property];
    const name = property === 'pointerEvents' ? 'pointer-events' : property;
    for (
      let each: Element | null = element;
      each !== null && initial !== undefined;
      each = each.parentElement
    )
      if (isSetInline(each, name)) return undefined;
    return initial;
  };
  window.getComputedStyle = ((element: Element) => {
    const style = compute(element);
    const getPropertyValue = (name: string): string => find(element, name) ?? style.getPropertyValue(name);
    return new Proxy(style, {
      get: (_, name) =>
        name === 'getPropertyValue'
          ? getPropertyValue
          : (find(element, String(name)) ?? Reflect.get(style, name)),
    });
  }) as unknown as typeof window.getComputedStyle;
}

/** Properties that set attributes, which happy-dom lacks. */
function reflectAria(window: Window): void {
  for (const [name, attribute] of [
    ['role', 'role'],
    ['ariaLabel', 'aria-label'],
    ['ariaSelected', 'aria-selected'],
  ] as const)
    Object.defineProperty(window.Element.prototype, name, {
      configurable: true,
      get(this: Element) {
        return this.getAttribute(attribute);
      },
      set(this: Element, value: string) {
        this.setAttribute(attribute, value);
      },
    });
}

/** In browsers, changes by `history` fire no `hashchange`. */
function silenceHistory(window: Window): void {
  const changes = new Set<string>();
  const { history, location } = window;
  for (const name of ['pushState', 'replaceState'] as const) {
    const change = history[name].bind(history);
    history[name] = (...parameters) => {
      const oldUrl = location.href;
      change(...parameters);
      changes.add(`${oldUrl} ${location.href}`);
    };
  }
  const stop = (event: object): void => {
    const { oldURL, newURL } = event as HashChangeEvent;
    if (changes.has(`${oldURL} ${newURL}`)) (event as Event).stopImmediatePropagation();
  };
  window.addEventListener('hashchange', stop, true);
}

/** A click on a link that no component handles opens its page. */
function followLinks(document: Document, base: string, onNavigate: (url: string) => void): void {
  document.defaultView?.addEventListener('click', event => {
    const link = (event.target as Element | null)?.closest?.('a[href]');
    if (link === null || link === undefined || event.defaultPrevented || link.hasAttribute('download'))
      return;
    event.preventDefault();
    if (link.getAttribute('target') === '_blank') return;
    onNavigate(new URL(link.getAttribute('href') ?? '', base).href);
  });
}

/** Replaces the selected text of the focused field, as `execCommand('insertText')` does. */
function insertText(document: Document, command: string, text: string): boolean {
  const field = document.activeElement as HTMLInputElement | HTMLTextAreaElement | null;
  if (command !== 'insertText' || field === null || !('setRangeText' in field)) return false;
  const { selectionStart, selectionEnd, value } = field;
  const [start, end] = [selectionStart ?? value.length, selectionEnd ?? value.length];
  const prototype = Object.getPrototypeOf(field) as object;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(
    field,
    `${value.slice(0, start)}${text}${value.slice(end)}`,
  );
  field.setSelectionRange(start + text.length, start + text.length);
  const { Event: PageEvent } = document.defaultView as unknown as { readonly Event: typeof Event };
  return field.dispatchEvent(new PageEvent('input', { bubbles: true }));
}

/** The fields of a form in the window, which Node's class does not know. */
class FormDataOfPage extends FormData {
  constructor(form?: HTMLFormElement, submitter?: HTMLElement | null) {
    super();
    for (const control of (form?.elements ?? []) as Iterable<HTMLInputElement>) {
      const { name, type, value, checked, disabled, files } = control;
      if (name === '' || disabled || (/^(?:checkbox|radio)$/.test(type) && !checked)) continue;
      if (/^(?:submit|button|reset)$/.test(type) && control !== submitter) continue;
      if (type !== 'file') this.append(name, value);
      else for (const file of files ?? []) this.append(name, file);
    }
  }
}

/** A form that no script handles opens the page of its response. */
function submitForms(
  document: Document,
  base: string,
  onNavigate: (url: string, init?: RequestInit) => void,
): void {
  document.defaultView?.addEventListener('submit', event => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const fields = new FormDataOfPage(form, event.submitter);
    const url = new URL(form.getAttribute('action') ?? '', base);
    const query = new URLSearchParams([...fields] as [string, string][]);
    if (form.getAttribute('method')?.toLowerCase() === 'post') {
      const body = form.getAttribute('enctype') === 'multipart/form-data' ? fields : query;
      onNavigate(url.href, { method: 'POST', body });
    } else {
      url.search = String(query);
      onNavigate(url.href);
    }
  });
}
