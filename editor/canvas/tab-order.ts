// Moves the focus by Tab in a circle: bar, docked panel, nodes in wiring order, inspector, zoom bar, banners, bar. From inside a
// node, Tab continues in the inspector, which shows that node.
import { getTabOrder } from '../board/wiring.ts';
import type { EditorContextValue } from '../session/editor-context.tsx';

/** The value of `data-focus-region` of each part, in the order of the circle. */
const REGIONS = ['bar', 'dock', 'canvas', 'inspector', 'zoom', 'banners'] as const;
const FOCUSABLE =
  'a[href], button, input, select, textarea, audio, video[controls], [contenteditable="true"], [tabindex]';
/** The elements of a node that Tab focuses after Enter has focused the first of them. */
const FOCUSABLE_IN_NODE = '[data-port], [data-card-field], button, a[href], audio';

/** Moves the focus and returns true, or returns false to let the browser do it. */
export function moveByTab(event: KeyboardEvent, editor: EditorContextValue): boolean {
  const target = event.target as HTMLElement;
  const region = target.closest<HTMLElement>('[data-focus-region]')?.dataset.focusRegion;
  const step = event.shiftKey ? -1 : 1;
  const node = target.closest<HTMLElement>('[data-node-id]');
  if (node !== null) return moveFromNode(editor, node, target, step);
  const index = REGIONS.indexOf(region as (typeof REGIONS)[number]);
  if (index < 0) return false;
  if (region === 'canvas') {
    const [first] = getTabOrder(editor.session.store.getState().board);
    if (step === 1 && first !== undefined) return focusNode(editor, first);
    return enterRegion(editor, index + step, step);
  }
  const stops = findStops(region ?? '');
  const lastStop = step === 1 ? stops.at(-1) : stops[0];
  // Within a region, the browser moves the focus.
  return (target === lastStop || stops.length === 0) && enterRegion(editor, index + step, step);
}

function moveFromNode(
  editor: EditorContextValue,
  node: HTMLElement,
  target: HTMLElement,
  step: number,
): boolean {
  const order = getTabOrder(editor.session.store.getState().board);
  if (target !== node) {
    const stops = [...node.querySelectorAll<HTMLElement>(FOCUSABLE_IN_NODE)].filter(isVisible);
    const next = stops[stops.indexOf(target) + step];
    if (next !== undefined || step === -1) {
      (next ?? node).focus({ preventScroll: true });
      return true;
    }
    if (findStops('inspector').length > 0) return enterRegion(editor, REGIONS.indexOf('inspector'), step);
  }
  const next = order[order.indexOf(node.dataset.nodeId ?? '') + step];
  if (next !== undefined) return focusNode(editor, next);
  if (step === 1) return enterRegion(editor, REGIONS.indexOf('inspector'), step);
  editor.canvas.current?.focus();
  return true;
}

function focusNode({ session, canvas }: EditorContextValue, id: string): boolean {
  session.store.actions.select([id]);
  canvas.current?.focusNode(id);
  return true;
}

/** Focuses the first element of the region, or the last one when moving backwards. Skips empty regions. */
function enterRegion(editor: EditorContextValue, start: number, step: number): boolean {
  for (let tries = 0; tries < REGIONS.length; tries++) {
    const region = REGIONS[(start + tries * step + 2 * REGIONS.length) % REGIONS.length];
    if (region === 'canvas') {
      const { board, selection } = editor.session.store.getState();
      // From the inspector, Shift+Tab returns to the node that it shows.
      const last = selection.size === 1 ? [...selection][0] : getTabOrder(board).at(-1);
      if (step === -1 && last !== undefined) return focusNode(editor, last);
      editor.canvas.current?.focus();
      return true;
    }
    const stops = findStops(region ?? '');
    const stop = step === 1 ? stops[0] : stops.at(-1);
    if (stop === undefined) continue;
    stop.focus();
    return true;
  }
  return false;
}

/** Focuses the first field of the inspector, if it is open and has one. */
export function focusInspectorField(): boolean {
  const field = findStops('inspector').find(element =>
    element.matches('input, select, textarea, [contenteditable]'),
  );
  field?.focus();
  return field !== undefined;
}

const findStops = (region: string): readonly HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(`[data-focus-region="${region}"] :is(${FOCUSABLE})`)].filter(
    element => element.tabIndex >= 0 && !element.matches(':disabled') && isVisible(element),
  );

const isVisible = (element: HTMLElement): boolean => element.checkVisibility({ visibilityProperty: true });
