// The way from a finding to the field of the inspector that it is about.

const TRIES = 30;
const FOCUSABLE = 'textarea, input, select, [contenteditable="true"], button';

/** Gives that field of the selected node the focus, once it is in the page. */
export function focusField(inputId: string, tries = TRIES): void {
  requestAnimationFrame(() => {
    const field = document.querySelector(`[data-input="${CSS.escape(inputId)}"]`);
    const control = field?.querySelector<HTMLElement>(FOCUSABLE);
    if (control) control.focus();
    else if (tries > 0) focusField(inputId, tries - 1);
  });
}
