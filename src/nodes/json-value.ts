// Creates JSON values from text, with the text if JavaScript would change it.
import type { Json, Value } from '../graph/types.ts';
import { JsonText } from '../lib/json-text.ts';

/** Throws SyntaxError if the text is not JSON. */
export function parseJsonValue(text: string): Value {
  const jsonText = new JsonText<Json>(text);
  const isChanged = JSON.stringify(jsonText.value) !== jsonText.text;
  return { type: 'JSON', json: jsonText.value, ...(isChanged ? { exactText: jsonText.text } : {}) };
}
