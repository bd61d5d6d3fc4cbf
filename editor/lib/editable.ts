// Detects editable elements, whose key events do not belong to the board.

export const isEditable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    // Events of a code editor in a shadow root have its host element as target.
    target.dataset.editing !== undefined ||
    /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
