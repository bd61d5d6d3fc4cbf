// Decides whether key events belong to a text field instead of the board.

export const isEditing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    // For an editor in a shadow root, only its host element is visible here.
    target.dataset.editing !== undefined ||
    /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
