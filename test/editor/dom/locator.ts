// Finds and uses elements of a page in Node, with the names and the waiting of Playwright's locators.
import type { UserEvent } from '@testing-library/user-event';
import { evaluateIn } from './application.ts';
import {
  byAttribute,
  byLabel,
  byRole,
  bySelector,
  byText,
  isDisabled,
  isVisible,
  matchesText,
  type Query,
  type RoleOptions,
  type TextPattern,
} from './queries.ts';
import type { OpenWindow } from './window.ts';

/** As long as in Chromium, because several test files share a small machine. */
const TIMEOUT_MS = 30_000;
const POLL_MS = 5;

interface TextOptions {
  readonly exact?: boolean;
}

interface Filter {
  readonly hasText?: TextPattern;
  readonly hasNotText?: TextPattern;
  readonly has?: DomLocator;
  readonly hasNot?: DomLocator;
  readonly visible?: boolean;
}

/** What locators need of their page. */
export interface LocatorHost {
  readonly window: () => OpenWindow;
  readonly user: () => UserEvent;
  /** Waits for the effects of an action: its updates are rendered, and a started navigation has ended. */
  settle(): Promise<void>;
}

/** Polls until the attempt returns a value. Rejects with the description and the page's text after 30 s. */
export async function retry<T>(
  host: LocatorHost,
  what: string,
  attempt: () => T | undefined | Promise<T | undefined>,
  timeoutMs = TIMEOUT_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const start = performance.now();
    const value = await attempt();
    if (value !== undefined) return value;
    if (performance.now() > deadline) {
      const text = host.window().document.body.textContent?.slice(0, 2000) ?? '';
      throw new Error(`Waited ${timeoutMs / 1000} s for ${what}. The page shows: ${text}`);
    }
    // Queries of a large page must not take the time that the page needs.
    const pauseMs = Math.max(POLL_MS, 2 * (performance.now() - start));
    await new Promise(resolve => setTimeout(resolve, pauseMs));
  }
}

export class DomLocator {
  readonly #host: LocatorHost;
  readonly #query: Query;
  readonly #name: string;

  constructor(host: LocatorHost, query: Query, name: string) {
    this.#host = host;
    this.#query = query;
    this.#name = name;
  }

  /** The page, as far as locators know it. */
  page(): { evaluateHandle(expression: string): Promise<unknown> } {
    return {
      evaluateHandle: async expression => evaluateIn(this.#host.window().globals, expression),
    };
  }

  toString(): string {
    return this.#name;
  }

  getByRole(role: string, options?: RoleOptions): DomLocator {
    return this.#within(byRole(role, options), `${role} ${String(options?.name ?? '')}`);
  }
  getByLabel(label: TextPattern, { exact }: TextOptions = {}): DomLocator {
    return this.#within(byLabel(label, exact), `label ${label}`);
  }
  getByText(text: TextPattern, { exact }: TextOptions = {}): DomLocator {
    return this.#within(byText(text, exact), `text ${text}`);
  }
  getByTitle(title: TextPattern, { exact }: TextOptions = {}): DomLocator {
    return this.#within(byAttribute('title', title, exact), `title ${title}`);
  }
  getByPlaceholder(text: TextPattern, { exact }: TextOptions = {}): DomLocator {
    return this.#within(byAttribute('placeholder', text, exact), `placeholder ${text}`);
  }
  getByAltText(text: TextPattern, { exact }: TextOptions = {}): DomLocator {
    return this.#within(byAttribute('alt', text, exact), `alt ${text}`);
  }
  locator(selector: string | DomLocator, options: Filter = {}): DomLocator {
    const found =
      typeof selector === 'string'
        ? this.#within(bySelector(selector), selector)
        : this.#within(selector.#query, selector.#name);
    return Object.keys(options).length === 0 ? found : found.filter(options);
  }
  filter({ hasText, hasNotText, has, hasNot, visible }: Filter): DomLocator {
    return this.#refine(
      elements =>
        elements.filter(
          element =>
            (hasText === undefined || matchesText(element.textContent, hasText)) &&
            (hasNotText === undefined || !matchesText(element.textContent, hasNotText)) &&
            (has === undefined || has.#query(element).length > 0) &&
            (hasNot === undefined || hasNot.#query(element).length === 0) &&
            (visible === undefined || isVisible(element) === visible),
        ),
      `filtered by ${String(hasText ?? has ?? hasNotText ?? hasNot ?? visible)}`,
    );
  }
  or(other: DomLocator): DomLocator {
    const query: Query = root => {
      const elements = new Set([...this.#query(root), ...other.#query(root)]);
      return [...root.querySelectorAll<HTMLElement>('*')].filter(element => elements.has(element));
    };
    return new DomLocator(this.#host, query, `${this.#name} or ${other.#name}`);
  }
  first(): DomLocator {
    return this.nth(0);
  }
  last(): DomLocator {
    return this.nth(-1);
  }
  nth(index: number): DomLocator {
    return this.#refine(
      elements => elements.slice(index, index === -1 ? undefined : index + 1),
      `nth ${index}`,
    );
  }

  async count(): Promise<number> {
    return this.#find().length;
  }
  async all(): Promise<DomLocator[]> {
    return this.#find().map((_, index) => this.nth(index));
  }
  async allTextContents(): Promise<string[]> {
    return this.#find().map(element => element.textContent ?? '');
  }
  async allInnerTexts(): Promise<string[]> {
    return this.#find().map(element => element.textContent ?? '');
  }
  async isVisible(): Promise<boolean> {
    return this.#find().some(isVisible);
  }
  async isHidden(): Promise<boolean> {
    return !(await this.isVisible());
  }
  async textContent(): Promise<string | null> {
    return (await this.#one()).textContent;
  }
  async innerText(): Promise<string> {
    return (await this.#one()).textContent ?? '';
  }
  async inputValue(): Promise<string> {
    return ((await this.#one()) as HTMLInputElement).value;
  }
  async getAttribute(name: string): Promise<string | null> {
    return (await this.#one()).getAttribute(name);
  }
  async isDisabled(): Promise<boolean> {
    return isDisabled(await this.#one());
  }
  async isEnabled(): Promise<boolean> {
    return !(await this.isDisabled());
  }
  async isChecked(): Promise<boolean> {
    const element = await this.#one();
    return (element as HTMLInputElement).checked ?? element.getAttribute('aria-checked') === 'true';
  }
  /** Calls the function with the element; it sees the globals of the page. */
  async evaluate<T>(pageFunction: (element: never, argument: never) => T, argument?: unknown): Promise<T> {
    const evaluated = evaluateIn(this.#host.window().globals, String(pageFunction)) as (
      element: Element,
      argument: unknown,
    ) => T;
    return evaluated(await this.#one(), argument);
  }
  async evaluateAll<T>(
    pageFunction: (elements: never, argument: never) => T,
    argument?: unknown,
  ): Promise<T> {
    const evaluated = evaluateIn(this.#host.window().globals, String(pageFunction)) as (
      elements: readonly Element[],
      argument: unknown,
    ) => T;
    return evaluated(this.#find(), argument);
  }

  async waitFor({
    state = 'visible',
    timeout,
  }: {
    readonly state?: 'visible' | 'hidden' | 'attached' | 'detached';
    readonly timeout?: number;
  } = {}): Promise<void> {
    await retry(
      this.#host,
      `${this.#name} to be ${state}`,
      () => {
        const elements = this.#find();
        if (state === 'detached') return elements.length === 0 || undefined;
        if (state === 'hidden') return !elements.some(isVisible) || undefined;
        this.#requireOne(elements);
        return (state === 'visible' ? elements.some(isVisible) : elements.length > 0) || undefined;
      },
      timeout,
    );
  }

  async click({ button = 'left', modifiers = [], force = false }: ClickOptions = {}): Promise<void> {
    const element = await (force ? this.#one() : this.#usable());
    const held = modifiers.map(name => `{${name === 'ControlOrMeta' ? 'Control' : name}>}`).join('');
    const released = modifiers.map(name => `{/${name === 'ControlOrMeta' ? 'Control' : name}}`).join('');
    const user = this.#host.user();
    if (held !== '') await user.keyboard(held);
    await user.pointer([
      { target: element },
      { keys: button === 'right' ? '[MouseRight]' : '[MouseLeft]', target: element },
    ]);
    if (released !== '') await user.keyboard(released);
    await this.#host.settle();
  }
  async dblclick(): Promise<void> {
    await this.#host.user().dblClick(await this.#usable());
    await this.#host.settle();
  }
  async hover(): Promise<void> {
    await this.#host.user().hover(await this.#usable());
    await this.#host.settle();
  }
  async focus(): Promise<void> {
    (await this.#one()).focus();
    await this.#host.settle();
  }
  async blur(): Promise<void> {
    (await this.#one()).blur();
    await this.#host.settle();
  }
  async fill(value: string): Promise<void> {
    const element = await this.#usable();
    element.focus();
    setValue(element, value);
    await this.#host.settle();
  }
  async clear(): Promise<void> {
    await this.fill('');
  }
  async press(key: string): Promise<void> {
    (await this.#one()).focus();
    await pressKey(this.#host, key);
  }
  async pressSequentially(text: string): Promise<void> {
    (await this.#one()).focus();
    await typeText(this.#host, text);
  }
  async check(): Promise<void> {
    await this.setChecked(true);
  }
  async uncheck(): Promise<void> {
    await this.setChecked(false);
  }
  async setChecked(checked: boolean): Promise<void> {
    if ((await this.isChecked()) !== checked) await this.click();
  }
  /** Selects options by value or label. */
  async selectOption(wanted: string | readonly string[] | { readonly label: string }): Promise<string[]> {
    const names = typeof wanted === 'string' ? [wanted] : 'label' in wanted ? [wanted.label] : wanted;
    const select = (await this.#usable()) as HTMLSelectElement;
    const options = await retry(this.#host, `the options ${names.join(', ')} of ${this.#name}`, () => {
      const found = names.map(name =>
        [...select.options].find(({ value, label, text }) => [value, label, text.trim()].includes(name)),
      );
      return found.every(option => option !== undefined) ? found : undefined;
    });
    await this.#host.user().selectOptions(select, options as HTMLElement[]);
    await this.#host.settle();
    return options.map(({ value }) => value);
  }
  async setInputFiles(files: InputFile | readonly InputFile[]): Promise<void> {
    const list = (Array.isArray(files) ? files : [files]) as readonly InputFile[];
    const element = await this.#one();
    await this.#host.user().upload(
      element,
      list.map(({ name, mimeType, buffer }) => new File([new Uint8Array(buffer)], name, { type: mimeType })),
    );
    await this.#host.settle();
  }
  /** Dispatches a trusted-looking event with these properties. */
  async dispatchEvent(type: string, properties: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const element = await this.#one();
    const event = new (element.ownerDocument.defaultView as unknown as { Event: typeof Event }).Event(type, {
      bubbles: true,
      cancelable: true,
      composed: true,
    });
    for (const [name, value] of Object.entries(properties))
      Object.defineProperty(event, name, { value, configurable: true });
    element.dispatchEvent(event);
    await this.#host.settle();
  }

  #within(query: Query, name: string): DomLocator {
    const find: Query = root => {
      const found = new Set(this.#query(root).flatMap(element => query(element)));
      return [...found];
    };
    return new DomLocator(this.#host, find, `${this.#name} > ${name}`);
  }
  #refine(refine: (elements: readonly HTMLElement[]) => readonly HTMLElement[], name: string): DomLocator {
    return new DomLocator(this.#host, root => refine(this.#query(root)), `${this.#name} ${name}`);
  }
  #find(): readonly HTMLElement[] {
    return this.#query(this.#host.window().document);
  }
  #requireOne(elements: readonly HTMLElement[]): void {
    if (elements.length < 2) return;
    const found = elements.map(element => element.outerHTML.slice(0, 200)).join('\n');
    throw new Error(`${this.#name} matches ${elements.length} elements:\n${found}`);
  }
  #one(): Promise<HTMLElement> {
    return retry(this.#host, this.#name, () => {
      const elements = this.#find();
      this.#requireOne(elements);
      return elements[0];
    });
  }
  #usable(): Promise<HTMLElement> {
    return retry(this.#host, `${this.#name} to be enabled`, () => {
      const elements = this.#find();
      this.#requireOne(elements);
      return elements.find(element => isVisible(element) && !isDisabled(element));
    });
  }
}

interface ClickOptions {
  readonly button?: 'left' | 'right';
  readonly modifiers?: readonly string[];
  readonly force?: boolean;
}

interface InputFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Uint8Array;
}

/** Sets the value as a user would by typing it all at once. React listens to the native setter. */
function setValue(element: HTMLElement, value: string): void {
  const view = element.ownerDocument.defaultView as unknown as Window & typeof globalThis;
  if (element.isContentEditable) element.textContent = value;
  else {
    const prototype = Object.getPrototypeOf(element) as object;
    Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(element, value);
  }
  element.dispatchEvent(new view.Event('input', { bubbles: true, cancelable: false }));
  element.dispatchEvent(new view.Event('change', { bubbles: true, cancelable: false }));
}

/** Presses a key with modifiers, as in `Control+Shift+K`. */
export async function pressKey(host: LocatorHost, combination: string): Promise<void> {
  const parts = combination === '+' ? ['+'] : combination.split(/\+(?=.)/);
  const key = parts.pop() ?? '';
  const modifiers = parts.map(name => (name === 'ControlOrMeta' ? 'Control' : name));
  const name = key === 'Space' ? ' ' : key;
  const typed = name.length === 1 ? (name === '{' || name === '[' ? name + name : name) : `{${name}}`;
  const { document } = host.window();
  const focused = document.activeElement;
  await host
    .user()
    .keyboard(
      `${modifiers.map(each => `{${each}>}`).join('')}${typed}${modifiers.map(each => `{/${each}}`).join('')}`,
    );
  if (key === 'Escape') cancelDialog(document, focused);
  await host.settle();
}

/** Types the text into the element with the focus. */
export async function typeText(host: LocatorHost, text: string): Promise<void> {
  await host.user().keyboard(text.replace(/[{[]/g, '$&$&'));
  await host.settle();
}

/** Escape cancels the topmost modal dialog, unless a component has handled the key. */
function cancelDialog(document: Document, focused: Element | null): void {
  const dialog = [...document.querySelectorAll<HTMLDialogElement>('dialog[open]')].at(-1);
  if (dialog === undefined || lastEscape.get(document) === true || focused === null) return;
  const view = document.defaultView as unknown as typeof globalThis;
  if (dialog.dispatchEvent(new view.Event('cancel', { cancelable: true }))) dialog.close();
}

/** Whether a component prevented the default action of the last Escape. */
const lastEscape = new WeakMap<Document, boolean>();

export function watchEscape(document: Document): void {
  document.defaultView?.addEventListener('keydown', event => {
    if (event.key === 'Escape') lastEscape.set(document, event.defaultPrevented);
  });
}
