// Hides the keys of input methods, such as the Enter that ends a composition, from the page.

/** Returns whether an input method handles the key. Safari reports the last key after the composition, with the code 229. */
const isComposing = ({ isComposing: isInComposition, keyCode }: KeyboardEvent): boolean =>
  isInComposition || keyCode === 229;

/** Hides these keys from all handlers of the page. Code editors handle them themselves. */
export function ignoreComposition(target: EventTarget = window): void {
  target.addEventListener(
    'keydown',
    event => {
      const isInCodeEditor = event
        .composedPath()
        .some(element => (element as Element).classList?.contains('cm-editor'));
      if (isComposing(event as KeyboardEvent) && !isInCodeEditor) event.stopImmediatePropagation();
    },
    { capture: true },
  );
}
