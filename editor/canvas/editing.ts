// Whether keys belong to a field rather than to the board.

export const isEditing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    // Of an editor in a shadow root no more than its host is seen from here.
    target.dataset.editing !== undefined ||
    /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
