// Tests that handlers of keys do not see what an input method handles.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Window } from 'happy-dom';
import { ignoreComposition } from '../../../editor/lib/composition.ts';

it('hides the keys of a composition, except from code editors', async () => {
  const window = new Window();
  ignoreComposition(window as never);
  const { document } = window;
  const [field, code] = [document.createElement('input'), document.createElement('textarea')];
  const editor = document.createElement('div');
  editor.className = 'cm-editor';
  editor.append(code);
  document.body.append(field, editor);
  const seen: string[] = [];
  for (const [name, element] of Object.entries({ field, code }))
    element.addEventListener('keydown', event => seen.push(`${name} ${(event as { key?: string }).key}`));
  const press = (element: typeof field | typeof code, key: string, more: object) => {
    const event = new window.KeyboardEvent('keydown', { key, bubbles: true, composed: true });
    Object.defineProperties(
      event,
      Object.fromEntries(Object.entries(more).map(([name, value]) => [name, { value }])),
    );
    element.dispatchEvent(event);
  };
  press(field, 'Enter', { isComposing: true });
  press(field, 'Enter', { keyCode: 229 });
  press(field, 'Escape', {});
  press(code, 'Enter', { isComposing: true });
  assert.deepEqual(seen, ['field Escape', 'code Enter']);
  await window.close();
});
