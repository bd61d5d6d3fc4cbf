// Focuses the inspector field that an issue refers to.

const TRIES = 30;
const FOCUSABLE = 'textarea, input, select, [contenteditable="true"], button';

/** Focuses the field once it is rendered. */
export function focusField(inputId: string, tries = TRIES): void {
  requestAnimationFrame(() => {
    const field = document.querySelector(`[data-input="${CSS.escape(inputId)}"]`);
    const control = field?.querySelector<HTMLElement>(FOCUSABLE);
    if (control) control.focus();
    else if (tries > 0) focusField(inputId, tries - 1);
  });
}
