// Detects which of ComfyUI's formats a parsed JSON file has, and reads its graph.
import { isObject, type UnknownObject } from '../types.ts';
import { type ApiGraph, isApiGraph, readApiGraph } from './api-graph.ts';
import { type Conversion, convertGraph } from './convert.ts';
import type { NodeTypes } from './node-types.ts';
import { isUiGraph, readUiGraph, type UiGraph } from './ui-graph.ts';

export type ComfyFile =
  | {
      readonly format: 'comfyui-ui-0.4' | 'comfyui-ui-1.0';
      readonly graph: ApiGraph;
      readonly ui: UiGraph;
      readonly conversion: Conversion;
      /** The file itself. */
      readonly source: UnknownObject;
    }
  | { readonly format: 'comfyui-api'; readonly graph: ApiGraph };

/** Returns the graph of the file, or undefined if ComfyUI did not write the file. Throws ComfyFormatError. */
export function readComfyFile(value: unknown, types: NodeTypes): ComfyFile | undefined {
  if (isUiGraph(value)) {
    const ui = readUiGraph(value);
    const conversion = convertGraph(ui, types);
    return { format: `comfyui-ui-${ui.version}`, graph: conversion.graph, ui, conversion, source: value };
  }
  if (isApiGraph(value)) return { format: 'comfyui-api', graph: readApiGraph(value) };
  // What clients send to a server, with data for the server beside the graph.
  if (isObject(value) && isApiGraph(value.prompt))
    return { format: 'comfyui-api', graph: readApiGraph(value.prompt, '/prompt') };
  return undefined;
}

/**
 * Parses JSON as Python writes it, in which NaN and Infinity can stand for numbers; they become null. Throws SyntaxError.
 */
export function parsePythonJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (err) {
    const replaced = replaceNonNumbers(text);
    if (replaced === text) throw err;
    return JSON.parse(replaced);
  }
}

const NON_NUMBER = /(?:NaN|-?Infinity)(?![\w.])/y;

/** Replaces NaN and Infinity outside of strings by null. */
function replaceNonNumbers(text: string): string {
  const parts: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; ) {
    const char = text[index];
    if (char === '"') {
      index = findStringEnd(text, index);
      continue;
    }
    if (char === 'N' || char === 'I' || char === '-') {
      NON_NUMBER.lastIndex = index;
      const [match] = NON_NUMBER.exec(text) ?? [];
      if (match !== undefined) {
        parts.push(text.slice(start, index), 'null');
        index += match.length;
        start = index;
        continue;
      }
    }
    index++;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(start);
}

/** Returns the index after the string that begins at `start`. */
function findStringEnd(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"') return index + 1;
  }
  return text.length;
}
