// Finds elements as Playwright's locators do: by role and accessible name, label, text, placeholder, title or selector.
// https://playwright.dev/docs/locators
import { queryAllByRole } from '@testing-library/dom';

export type TextPattern = string | RegExp;

/** Returns the matching elements below the root, in document order. */
export type Query = (root: ParentNode) => readonly HTMLElement[];

export interface RoleOptions {
  readonly name?: TextPattern;
  readonly exact?: boolean;
  readonly checked?: boolean;
  readonly disabled?: boolean;
  readonly expanded?: boolean;
  readonly includeHidden?: boolean;
  readonly level?: number;
  readonly pressed?: boolean;
  readonly selected?: boolean;
}

const normalize = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A string matches a part of the text, in any case; if `exact`, the whole text. */
export function matchesText(text: string | null | undefined, pattern: TextPattern, exact = false): boolean {
  const normalized = normalize(text ?? '');
  if (pattern instanceof RegExp)
    return new RegExp(pattern.source, pattern.flags.replace('g', '')).test(normalized);
  return exact
    ? normalized === normalize(pattern)
    : normalized.toLowerCase().includes(normalize(pattern).toLowerCase());
}

export const byRole =
  (role: string, { name, exact, disabled, includeHidden = false, ...states }: RoleOptions = {}): Query =>
  root =>
    queryAllByRole(root as HTMLElement, role, {
      ...states,
      hidden: true,
      ...(name === undefined ? {} : { name: text => matchesText(text, name, exact) }),
    }).filter(
      element =>
        (includeHidden || !isHiddenFromTools(element)) &&
        (disabled === undefined || isDisabled(element) === disabled),
    );

export const byLabel =
  (pattern: TextPattern, exact?: boolean): Query =>
  root =>
    select(
      root,
      'input, select, textarea, button, meter, output, progress, [aria-label], [aria-labelledby]',
    ).filter(element => listLabels(element).some(label => matchesText(label, pattern, exact)));

/** Finds the smallest elements that contain the text. This can be the element in which it is looked for. */
export const byText =
  (pattern: TextPattern, exact?: boolean): Query =>
  root =>
    [...('tagName' in root ? [root as HTMLElement] : []), ...select(root, '*')].filter(
      element =>
        !/^(?:SCRIPT|STYLE|NOSCRIPT|HEAD|TITLE)$/.test(element.tagName) &&
        matchesText(readText(element), pattern, exact) &&
        ![...element.children].some(child => matchesText(readText(child), pattern, exact)),
    );

export const byAttribute =
  (attribute: string, pattern: TextPattern, exact?: boolean): Query =>
  root =>
    select(root, `[${attribute}]`).filter(element =>
      matchesText(element.getAttribute(attribute), pattern, exact),
    );

export const bySelector =
  (selector: string): Query =>
  root =>
    select(root, selector);

const select = (root: ParentNode, selector: string): HTMLElement[] => [
  ...root.querySelectorAll<HTMLElement>(selector),
];

function readText(element: Element): string {
  if (element.tagName === 'INPUT' && /^(?:submit|button|reset)$/.test(element.getAttribute('type') ?? ''))
    return (element as HTMLInputElement).value;
  return element.textContent ?? '';
}

function listLabels(element: HTMLElement): readonly (string | null)[] {
  const ids = element.getAttribute('aria-labelledby')?.split(/\s+/) ?? [];
  const labelled = ids.map(id => element.ownerDocument.getElementById(id)?.textContent ?? '').join(' ');
  if (ids.length > 0) return [labelled];
  const labels = [...((element as HTMLInputElement).labels ?? [])].map(label => label.textContent);
  return [element.getAttribute('aria-label'), ...labels];
}

/** Whether assistive technology does not see the element. */
function isHiddenFromTools(element: Element): boolean {
  return element.closest('[aria-hidden="true"]') !== null || !isVisible(element);
}

/** Whether the element is displayed, as far as attributes and inline styles say; style sheets are not loaded. */
export function isVisible(element: Element): boolean {
  if (!element.isConnected) return false;
  for (let each: Element | null = element; each !== null; each = each.parentElement) {
    const { style } = each as HTMLElement;
    if (each.hasAttribute('hidden') || style?.display === 'none' || style?.visibility === 'hidden')
      return false;
    if (each.tagName === 'DIALOG' && !each.hasAttribute('open')) return false;
    if (
      each !== element &&
      each.tagName === 'DETAILS' &&
      !each.hasAttribute('open') &&
      element.closest('summary') === null
    )
      return false;
  }
  return true;
}

export function isDisabled(element: Element): boolean {
  return (
    element.closest('[aria-disabled="true"]') !== null ||
    (/^(?:BUTTON|INPUT|SELECT|TEXTAREA|OPTION|FIELDSET)$/.test(element.tagName) &&
      (element.hasAttribute('disabled') || element.closest('fieldset[disabled]') !== null))
  );
}
