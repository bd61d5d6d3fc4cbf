// Drags elements, in Chromium and in Node.
import type { Locator } from 'playwright-core';

/**
 * Drags an element onto the target. Dispatches the events directly, because a test cannot wait for the time at which Chrome
 * starts a drag of the mouse.
 */
export async function dragOnto(source: Locator, target: Locator): Promise<void> {
  const dataTransfer = await source.page().evaluateHandle('new DataTransfer()');
  await source.dispatchEvent('dragstart', { dataTransfer });
  for (const type of ['dragenter', 'dragover', 'drop']) await target.dispatchEvent(type, { dataTransfer });
  await source.dispatchEvent('dragend', { dataTransfer });
}
