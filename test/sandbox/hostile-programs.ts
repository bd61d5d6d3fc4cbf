// Lists programs that must fail within their limits, with the possible codes of the failure.
import type { ProgramErrorCode } from '../../src/sandbox/program.ts';

const body = (text: string): string => `export default async () => { ${text} }`;

export const HOSTILE_PROGRAMS: Readonly<
  Record<string, readonly [code: string, ...expected: ProgramErrorCode[]]>
> = {
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
  'a native loop over a sparse array': [
    body('return { a: new Array(2 ** 32 - 1).lastIndexOf(1) }'),
    'program_timeout',
  ],
  'a native loop over a list without end': [
    body('return { a: Array.from({ length: 2 ** 32 - 1 }) }'),
    'program_failed',
    'program_out_of_memory',
    'program_timeout',
  ],
  'a join of a sparse array': [
    body('return { a: new Array(2 ** 32 - 1).join("abc") }'),
    'program_out_of_memory',
    'program_failed',
  ],
  'an array that doubles': [body('let a = [1]; for (;;) a = a.concat(a)'), 'program_out_of_memory'],
  'a set that grows while it is read': [
    body('const s = new Set([0]); for (const n of s) s.add(n + 1); return {}'),
    'program_out_of_memory',
    'program_timeout',
  ],
  'a circular array, flattened': [
    body('const a = [1, 1]; a.push(a, a); return { a: a.flat(Infinity).length }'),
    'program_failed',
    'program_out_of_memory',
    'program_timeout',
  ],
  'a generator without end': [
    body('const all = function* () { for (;;) yield 1 }; return { a: [...all()] }'),
    'program_out_of_memory',
    'program_timeout',
  ],
  'an asynchronous generator without end': [
    body(
      'const all = async function* () { for (;;) yield 1 }; for await (const a of all()) void a; return {}',
    ),
    'program_timeout',
    'program_out_of_memory',
  ],
  'a proxy that is its own prototype': [
    body('const p = new Proxy({}, { getPrototypeOf: () => p }); return { a: p instanceof Map }'),
    'program_timeout',
    'program_failed',
  ],
  'a number of a million digits as text': [
    body('const n = 7n ** 2_000_000n; for (;;) n.toString()'),
    'program_timeout',
    'program_out_of_memory',
    'program_failed',
  ],
  'JSON nested without end': [body('return JSON.parse("[".repeat(5_000_000))'), 'program_failed'],
  'an expression of a million groups': [
    body('return { a: new RegExp("(".repeat(1_000_000) + ")".repeat(1_000_000)).test("") }'),
    'invalid_program',
    'program_failed',
    'program_timeout',
    'program_out_of_memory',
  ],
  'an expression of repetitions': [
    body('return { a: new RegExp("(?:(?:(?:a{0,9999}){0,9999}){0,9999}){0,9999}b").test("a".repeat(9999)) }'),
    'program_timeout',
    'program_failed',
    'program_out_of_memory',
  ],
  'code that writes code without end': [
    body('const f = n => new Function("f", "n", "return f(n + 1)")(f, n); return { a: f(0) }'),
    'program_failed',
    'invalid_program',
    'program_out_of_memory',
    'program_timeout',
  ],
  'an error with a message of 20 MB': [body('throw new Error("x".repeat(20_000_000))'), 'program_failed'],
  'an error with a name of 20 MB': [
    body('throw Object.assign(new Error(), { name: "x".repeat(20_000_000) })'),
    'program_failed',
  ],
  'a thrown text of 20 MB': [body('throw "x".repeat(20_000_000)'), 'program_failed'],
  'an error whose members never end': [
    body('throw Object.defineProperty(new Error(), "message", { get() { for (;;); } })'),
    'program_timeout',
    'program_failed',
  ],
  'a thrown object that never ends as JSON': [
    body('throw { toJSON() { for (;;); } }'),
    'program_timeout',
    'program_failed',
  ],
  'a deeply nested thrown object': [
    body('let p = Promise.reject(1); for (let i = 0; i < 20_000; i++) p = { then: undefined, p }; throw p'),
    'program_failed',
  ],
  'a log of one long text': [
    body('const t = "x".repeat(20_000_000); for (;;) console.log(t, t)'),
    'program_timeout',
    'program_out_of_memory',
  ],
  'logging a circular object': [
    body('const o = {}; o.o = o; for (;;) console.log(o)'),
    'program_timeout',
    'program_failed',
  ],
  'a top-level await that never settles': [
    'await new Promise(() => {}); export default () => ({})',
    'program_failed',
  ],
  'a replaced Promise.prototype.then': [
    'Promise.prototype.then = () => { for (;;); }; export default async () => { await Promise.resolve(); await { then() {} }; }',
    'program_failed',
    'program_timeout',
  ],
  'Atomics.wait': [
    body('return { a: Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) }'),
    'program_failed',
    'program_timeout',
  ],
  'WebAssembly within WebAssembly': [
    body('return { a: new WebAssembly.Memory({ initial: 65_536 }).buffer.byteLength }'),
    'program_failed',
  ],
  'a deleted global object': [
    body('for (const key of Reflect.ownKeys(globalThis)) delete globalThis[key]; return { a: JSON }'),
    'program_failed',
  ],
  'an output of a million members that call back': [
    body('return new Proxy({}, { ownKeys: () => Array.from({ length: 1e6 }, (_, i) => "k" + i) })'),
    'program_failed',
    'program_out_of_memory',
    'program_timeout',
  ],
  'escape through Error.stack': [
    body('return { a: new Error().stack.constructor.constructor("return this.process.exit(0)")() }'),
    'program_failed',
  ],
  'a custom prepareStackTrace': [
    'Error.prepareStackTrace = () => { for (;;); }; export default () => null.a',
    'program_timeout',
    'program_failed',
  ],
  'finalizers without end': [
    body(
      'const r = new FinalizationRegistry(() => { for (;;); }); for (;;) r.register({ a: new Array(1000) }, 1)',
    ),
    'program_timeout',
    'program_out_of_memory',
    'program_failed',
  ],
  'ten million arguments': [
    body('return { a: Math.max.apply(null, new Array(10_000_000)) }'),
    'program_failed',
    'program_out_of_memory',
  ],
  'a sort of a typed array without end': [
    body('const a = new Uint32Array(5e6); for (;;) a.sort(() => Math.random() - 0.5)'),
    'program_timeout',
    'program_out_of_memory',
  ],
  'a syntax error': ['export default (', 'invalid_program'],
  'no default export': ['export const a = 1', 'program_failed'],
  'an array as output': ['export default () => []', 'program_failed'],
};
