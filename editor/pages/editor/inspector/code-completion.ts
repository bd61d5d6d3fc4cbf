// Completes programs of code nodes: names of ports, members of port values by port type, and globals.
import { type Completion, CompletionContext, type CompletionSource } from '@codemirror/autocomplete';
import { scopeCompletionSource } from '@codemirror/lang-javascript';
import { ensureSyntaxTree, syntaxTree, syntaxTreeAvailable } from '@codemirror/language';
import type { ConfigPort } from '../../../../src/graph/config-ports.ts';
import type { PortType } from '../../../../src/graph/types.ts';
import { PROGRAM_TYPES, type ProgramPorts } from '../../../board/program-ports.ts';

/** Returns an object that has only these members, because it has no prototype. */
const withoutPrototype = <T extends object>(members: T): T =>
  Object.assign(Object.create(null) as object, members);

const MEDIA = withoutPrototype({
  url: String.prototype,
  contentType: String.prototype,
  width: Number.prototype,
  height: Number.prototype,
  duration: Number.prototype,
});

/** An object with the members of a value, by port type. Values of other types can have any members. */
const SAMPLES: Readonly<Partial<Record<PortType, object>>> = {
  TEXT: String.prototype,
  NUMBER: Number.prototype,
  LIST: Array.prototype,
  IMAGE: MEDIA,
  VIDEO: MEDIA,
  AUDIO: MEDIA,
};

const { log, info, warn, error, debug } = console;
/** The globals that programs use most. */
const GLOBALS = {
  Array,
  Boolean,
  Date,
  JSON,
  Map,
  Math,
  Number,
  Object,
  Promise,
  RegExp,
  Set,
  String,
  console: withoutPrototype({ log, info, warn, error, debug }),
};

/** Creates a completion source, which calls `getPorts` each time, because the ports can change while the user types. */
export function completeProgram(getPorts: () => ProgramPorts): CompletionSource {
  return editorContext => {
    const context = parseProgram(editorContext);
    const { inputs, outputs } = getPorts();
    const ports = [
      ...inputs.map(port => toCompletion(port, 'variable', 'input')),
      ...outputs.map(port => toCompletion(port, 'property', 'output')),
    ];
    const from = findMemberName(context);
    if (from !== undefined) return { from, options: ports, validFor: NAME };
    const samples = withoutPrototype(Object.fromEntries(inputs.map(({ id, type }) => [id, SAMPLES[type]])));
    const parameter = findParameter(context);
    const scope = withoutPrototype({
      ...GLOBALS,
      ...samples,
      ...(parameter === undefined ? {} : { [parameter]: samples }),
    });
    const result = scopeCompletionSource(scope)(context);
    if (result === null || result instanceof Promise) return result;
    const isMember = context.state.sliceDoc(Math.max(0, result.from - 1), result.from) === '.';
    const known = new Set(isMember ? [] : ports.map(({ label }) => label));
    const completions = result.options.filter(({ label }) => !known.has(label) && !HIDDEN.test(label));
    return { ...result, options: isMember ? completions : [...ports, ...completions] };
  };
}

const PARSE_TIMEOUT_MS = 500;

/** Finishes parsing. The editor parses for a few milliseconds at a time and may not have reached the cursor yet. */
function parseProgram(context: CompletionContext): CompletionContext {
  const { state, pos, explicit } = context;
  if (syntaxTreeAvailable(state, pos)) return context;
  ensureSyntaxTree(state, state.doc.length, PARSE_TIMEOUT_MS);
  // Only a new state has the new tree.
  return new CompletionContext(state.update({}).state, pos, explicit);
}

const NAME = /^[\w$]*$/;
const HIDDEN = /^(?:__|constructor$)/;
/** Parents of the names in `{ a, b }`, which the parser reads as a pattern or as an object while it is incomplete. */
const MEMBER_PARENTS: ReadonlySet<string> = new Set(['Property', 'PatternProperty']);

/** Returns the start of the name at the cursor, if it is a member of a pattern or of an object. */
function findMemberName({ state, pos }: CompletionContext): number | undefined {
  const { name, parent, from } = syntaxTree(state).resolveInner(pos, -1);
  return /^Property|^VariableDefinition$/.test(name) && MEMBER_PARENTS.has(parent?.name ?? '')
    ? from
    : undefined;
}

const toCompletion = ({ id, type }: ConfigPort, kind: string, role: string): Completion => ({
  label: id,
  type: kind,
  detail: `${PROGRAM_TYPES[type]}, ${role}`,
  boost: 1,
});

/** The first parameter of the default export, if it is a name, such as `(inputs) => …`. It holds all inputs. */
const PARAMETER =
  /export\s+default\s+(?:async\s+)?(?:function\b\s*\w*\s*)?\(?\s*(?<name>[A-Za-z_$][\w$]*)\s*(?:[,):]|=>)/;

const findParameter = ({ state }: CompletionContext): string | undefined =>
  PARAMETER.exec(state.doc.toString())?.groups?.name;
