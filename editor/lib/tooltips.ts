// Decides when a tooltip is shown, for which control, and where. The text is the control's `data-tooltip`.

export const TIP_ID = 'tooltip';
const DELAY_MS = 400;
/** Lets the pointer move to the tooltip itself. */
const LEAVE_MS = 150;
const GAP = 6;
const MARGIN = 8;

/** Follows pointer, focus and keys. Returns an unsubscribe function. */
export function showTooltips(element: HTMLElement): () => void {
  const tip = createTip(element);
  const listeners: Readonly<Record<string, (event: Event) => void>> = {
    pointerover: event => tip.point(event.target, (event as PointerEvent).pointerType),
    pointerdown: event => tip.dismiss(ownerOf(event.target)),
    focusin: ({ target }) => {
      const owner = ownerOf(target);
      if (owner?.matches(':focus-visible')) tip.show(owner);
    },
    focusout: tip.hide,
    keydown: () => tip.dismiss(tip.owner()),
    scroll: tip.hide,
  };
  for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener, true);
  return () => {
    tip.hide();
    for (const [name, listener] of Object.entries(listeners))
      document.removeEventListener(name, listener, true);
  };
}

const ownerOf = (target: EventTarget | null): HTMLElement | undefined =>
  (target instanceof Element && target.closest<HTMLElement>('[data-tooltip]')) || undefined;

interface Tip {
  /** The control whose tooltip is shown; undefined: none. */
  owner(): HTMLElement | undefined;
  show(next: HTMLElement): void;
  hide(): void;
  /** Hides the tooltip until the pointer has left the control. */
  dismiss(dismissed: HTMLElement | undefined): void;
  /** Called when the pointer moves to a target. */
  point(target: EventTarget | null, pointerType: string): void;
}

function createTip(element: HTMLElement): Tip {
  let owner: HTMLElement | undefined;
  let dismissed: HTMLElement | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const after = (ms: number, act: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };
  const hide = (): void => {
    clearTimeout(timer);
    if (owner?.getAttribute('aria-describedby') === TIP_ID) owner.removeAttribute('aria-describedby');
    owner = undefined;
    element.hidePopover();
  };
  const show = (next: HTMLElement): void => {
    hide();
    if (!next.isConnected) return;
    owner = next;
    element.textContent = next.dataset.tooltip ?? '';
    if (!next.hasAttribute('aria-describedby')) next.setAttribute('aria-describedby', TIP_ID);
    element.showPopover();
    place(element, next);
  };
  return {
    owner: () => owner,
    show,
    hide,
    dismiss(next) {
      hide();
      dismissed = next;
    },
    point(target, pointerType) {
      const next = ownerOf(target);
      if (next !== dismissed) dismissed = undefined;
      if (pointerType === 'touch' || (next !== undefined && next === dismissed)) return;
      if (next === owner || element.contains(target as Node)) clearTimeout(timer);
      else if (next === undefined) after(LEAVE_MS, hide);
      else after(owner === undefined ? DELAY_MS : 0, () => show(next));
    },
  };
}

/** Above the control, or below if there is no room, within the page. */
function place(element: HTMLElement, owner: HTMLElement): void {
  const { left, top, bottom, width } = owner.getBoundingClientRect();
  const own = element.getBoundingClientRect();
  const above = top - GAP - own.height;
  const most = document.documentElement.clientWidth - own.width - MARGIN;
  element.style.top = `${above >= MARGIN ? above : bottom + GAP}px`;
  element.style.left = `${Math.max(MARGIN, Math.min(left + (width - own.width) / 2, most))}px`;
}
