// Programs that must fail within their limits, with the code of the failure.
import type { ProgramErrorCode } from '../../src/sandbox/program.ts';

const body = (text: string): string => `export default async () => { ${text} }`;

export const HOSTILE: Readonly<Record<string, readonly [code: string, ...expected: ProgramErrorCode[]]>> = {
  'an endless loop': [body('for (;;);'), 'program_timeout'],
  'an endless loop that catches errors': [
    body('for (;;) { try { for (;;); } catch {} finally { continue; } }'),
    'program_timeout',
  ],
  'an endless loop while it is loaded': ['for (;;); export default () => ({})', 'program_timeout'],
  'a regular expression that never ends': [
    body('return { a: /^(a+)+$/.test("a".repeat(60) + "b") }'),
    'program_timeout',
  ],
  'an array that grows': [
    body('const a = []; for (;;) a.push(new Array(100_000).fill(1))'),
    'program_out_of_memory',
    'program_timeout',
  ],
  'a text that doubles': [body('let t = "x"; for (;;) t += t'), 'program_out_of_memory', 'program_failed'],
  'a typed array of 2 GB': [
    body('return { a: new Uint8Array(2 ** 31 - 1).length }'),
    'program_out_of_memory',
    'program_failed',
  ],
  'a deep recursion': ['const f = () => f() + 1; export default f', 'program_failed'],
  'a deep recursion through a getter': [
    body('const o = { get a() { return this.a; } }; return { a: o.a }'),
    'program_failed',
  ],
  'a deep recursion through JSON': [
    body('let o = {}; for (let i = 0; i < 100_000; i++) o = { o }; return o'),
    'program_failed',
    'program_timeout',
  ],
  'a deep recursion through a proxy': [
    body('let p = {}; for (let i = 0; i < 50_000; i++) p = new Proxy(p, {}); return { a: p.x }'),
    'program_failed',
    'program_timeout',
    'program_out_of_memory',
  ],
  'a promise that never settles': [body('await new Promise(() => {})'), 'program_failed'],
  'promises without end': [
    body('const next = () => Promise.resolve().then(next); await next()'),
    'program_timeout',
    'program_out_of_memory',
  ],
  'timers without end': [
    body('const f = () => setTimeout(f, 1); f(); await new Promise(() => {})'),
    'program_timeout',
  ],
  'many timers': [body('for (;;) setTimeout(() => {}, 1)'), 'program_out_of_memory', 'program_timeout'],
  'a log without end': [body('for (;;) console.log("x".repeat(1000))'), 'program_timeout'],
  'an output over the limit': [body('return { a: "x".repeat(6_000_000) }'), 'program_output_too_large'],
  'an output that calls back without end': [body('return { toJSON() { for (;;); } }'), 'program_timeout'],
  'a thenable that never settles': [body('return { then() {} }'), 'program_failed'],
  'a sort that never ends': [
    body('const a = Array.from({ length: 1e6 }, (_, i) => i); for (;;) a.sort(() => Math.random() - 0.5)'),
    'program_timeout',
    'program_out_of_memory',
  ],
  'a big number': [
    body('let n = 3n; for (;;) n **= 3n'),
    'program_timeout',
    'program_out_of_memory',
    'program_failed',
  ],
  'a text normalized without end': [
    body('for (;;) "\\u1E9B\\u0323".repeat(100_000).normalize("NFKD")'),
    'program_timeout',
    'program_out_of_memory',
  ],
  'an import': ['import { readFileSync } from "fs"; export default () => ({})', 'program_failed'],
  'a dynamic import': [body('return { a: await import("node:child_process") }'), 'program_failed'],
  'the global object of Node': [body('return { a: process.env }'), 'program_failed'],
  'the constructor of a function': [
    body('return { a: globalThis.constructor.constructor("return process.pid")() }'),
    'program_failed',
  ],
  'the constructor of the log': [
    body('return { a: console.log.constructor("return process.pid")() }'),
    'program_failed',
  ],
  eval: [body('return { a: (0, eval)("require(\\"fs\\")") }'), 'program_failed'],
  'a changed prototype': [
    body('Object.prototype.toJSON = () => { for (;;); }; return {}'),
    'program_timeout',
  ],
  'a replaced JSON': ['JSON.stringify = () => "[]"; export default () => 1', 'program_failed'],
  'parentheses without end': ['('.repeat(50_000), 'program_timeout'],
  'types without end': [`type A = ${'['.repeat(50_000)}`, 'program_timeout', 'invalid_program'],
  'a syntax error': ['export default (', 'invalid_program'],
  'no default export': ['export const a = 1', 'program_failed'],
  'an array as output': ['export default () => []', 'program_failed'],
};
