// Tests that changes by translators do not end the page.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Window } from 'happy-dom';
import { tolerateForeignChanges } from '../../../editor/lib/foreign-changes.ts';

it('nodes that a translator has wrapped or removed can be removed, and other nodes inserted before them', async () => {
  const window = new Window();
  const { document } = window;
  tolerateForeignChanges(window.Node.prototype as never);
  const parent = document.createElement('p');
  const [first, second] = [document.createTextNode('a'), document.createTextNode('b')];
  parent.append(first, second);
  const font = document.createElement('font');
  parent.replaceChild(font, second);
  font.append(second);

  const inserted = document.createElement('i');
  parent.insertBefore(inserted, second);
  assert.equal(parent.innerHTML, 'a<i></i><font>b</font>');
  assert.equal(parent.removeChild(second), second);
  assert.equal(parent.innerHTML, 'a<i></i>');

  first.remove();
  assert.equal(parent.removeChild(first), first);
  parent.insertBefore(document.createElement('b'), first);
  assert.equal(parent.innerHTML, '<i></i><b></b>');
  parent.insertBefore(document.createElement('u'), inserted);
  assert.equal(parent.innerHTML, '<u></u><i></i><b></b>');
  parent.insertBefore(document.createElement('s'), null);
  assert.equal(parent.innerHTML, '<u></u><i></i><b></b><s></s>');
  await window.close();
});
