// Builds values of ports for tests of nodes and of the engine.
import type { Json, Value } from '../../../src/graph/types.ts';

export const textValue = (text: string): Value => ({ type: 'TEXT', text });
export const numberValue = (number: number): Value => ({ type: 'NUMBER', number });
export const jsonValue = (json: Json): Value => ({ type: 'JSON', json });
export const listValue = (items: readonly Value[]): Value => ({ type: 'LIST', items });
