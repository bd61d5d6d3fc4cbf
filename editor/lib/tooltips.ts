// Decides when and where a tooltip is shown, and for which control. The text is the control's `data-tooltip`.

export const TOOLTIP_ID = 'tooltip';
const SHOW_DELAY_MS = 400;
/** Leaves time to move the pointer onto the tooltip. */
const HIDE_DELAY_MS = 150;
const GAP = 6;
const MARGIN = 8;

/** Shows tooltips in the element. Returns an unsubscribe function. */
export function showTooltips(element: HTMLElement): () => void {
  const tooltip = createTooltipController(element);
  const listeners: Readonly<Record<string, (event: Event) => void>> = {
    pointerover: event => tooltip.handlePointerOver(event.target, (event as PointerEvent).pointerType),
    pointerdown: event => tooltip.dismiss(findOwner(event.target)),
    focusin: ({ target }) => {
      const owner = findOwner(target);
      if (owner?.matches(':focus-visible')) tooltip.show(owner);
    },
    focusout: tooltip.hide,
    keydown: () => tooltip.dismiss(tooltip.owner()),
    scroll: tooltip.hide,
  };
  for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener, true);
  return () => {
    tooltip.hide();
    for (const [name, listener] of Object.entries(listeners))
      document.removeEventListener(name, listener, true);
  };
}

const findOwner = (target: EventTarget | null): HTMLElement | undefined =>
  (target instanceof Element && target.closest<HTMLElement>('[data-tooltip]')) || undefined;

interface TooltipController {
  /** Returns the control whose tooltip is shown. */
  owner(): HTMLElement | undefined;
  show(control: HTMLElement): void;
  hide(): void;
  /** Hides the tooltip until the pointer has left the control. */
  dismiss(control: HTMLElement | undefined): void;
  /** Shows the tooltip of the target to which the pointer moves. */
  handlePointerOver(target: EventTarget | null, pointerType: string): void;
}

function createTooltipController(element: HTMLElement): TooltipController {
  let owner: HTMLElement | undefined;
  let dismissed: HTMLElement | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const schedule = (ms: number, callback: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(callback, ms);
  };
  const hide = (): void => {
    clearTimeout(timer);
    if (owner?.getAttribute('aria-describedby') === TOOLTIP_ID) owner.removeAttribute('aria-describedby');
    owner = undefined;
    element.hidePopover();
  };
  const show = (control: HTMLElement): void => {
    hide();
    if (!control.isConnected) return;
    owner = control;
    element.textContent = control.dataset.tooltip ?? '';
    if (!control.hasAttribute('aria-describedby')) control.setAttribute('aria-describedby', TOOLTIP_ID);
    element.showPopover();
    positionTooltip(element, control);
  };
  return {
    owner: () => owner,
    show,
    hide,
    dismiss(control) {
      hide();
      dismissed = control;
    },
    handlePointerOver(target, pointerType) {
      const control = findOwner(target);
      if (control !== dismissed) dismissed = undefined;
      if (pointerType === 'touch' || (control !== undefined && control === dismissed)) return;
      if (control === owner || element.contains(target as Node)) clearTimeout(timer);
      else if (control === undefined) schedule(HIDE_DELAY_MS, hide);
      else schedule(owner === undefined ? SHOW_DELAY_MS : 0, () => show(control));
    },
  };
}

/** Places the tooltip above the control, or below it if there is no space, within the page. */
function positionTooltip(element: HTMLElement, owner: HTMLElement): void {
  const { left, top, bottom, width } = owner.getBoundingClientRect();
  const size = element.getBoundingClientRect();
  const above = top - GAP - size.height;
  const maxLeft = document.documentElement.clientWidth - size.width - MARGIN;
  element.style.top = `${above >= MARGIN ? above : bottom + GAP}px`;
  element.style.left = `${Math.max(MARGIN, Math.min(left + (width - size.width) / 2, maxLeft))}px`;
}
