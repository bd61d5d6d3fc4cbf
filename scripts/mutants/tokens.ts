// Splits JavaScript into tokens. Comments and white space have none.

export interface Token {
  /** `template` is the text between the backticks and substitutions of a template. Backticks are `open` and `close`. */
  readonly kind: 'name' | 'number' | 'string' | 'regex' | 'template' | 'operator' | 'open' | 'close';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Keywords after which an operand follows, so that a slash starts a regular expression and a minus is a sign. */
const OPERAND_FOLLOWS: ReadonlySet<string> = new Set(
  'return typeof await case in of yield else do new delete void instanceof throw function async'.split(' '),
);

const SKIPPED = /(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)+/y;
const NAME = /[\p{ID_Start}$_#@][\p{ID_Continue}$]*/uy;
const NUMBER = /\.?\d[\w.]*/y;
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
const OPERATOR =
  />>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<|>>|\*\*|[-+*/%<>=!?:;,.&|^~]/y;

/** Returns the tokens of a program that has no types and no JSX. */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const push = (kind: Token['kind'], text: string): void => {
    tokens.push({ kind, text, start: at, end: at + text.length });
    at += text.length;
  };
  const tryPush = (kind: Token['kind'], pattern: RegExp): boolean => {
    const text = matchAt(pattern, source, at);
    if (text !== undefined) push(kind, text);
    return text !== undefined;
  };
  /** The open brackets. A substitution of a template is closed by a brace, after which the template continues. */
  const open: string[] = [];
  const continueTemplate = (): void => {
    push('template', matchAt(TEMPLATE, source, at) ?? '');
    if (source[at] === '`') push('close', '`');
    else {
      open.push('${');
      push('open', '${');
    }
  };
  while (at < source.length) {
    at += matchAt(SKIPPED, source, at)?.length ?? 0;
    const char = source[at];
    if (char === undefined) break;
    if (char === '`') {
      push('open', '`');
      continueTemplate();
    } else if ('([{'.includes(char)) {
      open.push(char);
      push('open', char);
    } else if (')]}'.includes(char)) {
      push('close', char);
      if (open.pop() === '${') continueTemplate();
    } else if (char === '/' && !endsOperand(tokens.at(-1)) && tryPush('regex', REGEX)) continue;
    else if (
      !tryPush('name', NAME) &&
      !tryPush('number', NUMBER) &&
      !tryPush('string', STRING) &&
      !tryPush('operator', OPERATOR)
    )
      throw new Error(`Cannot read the token at ${at}: ${source.slice(at, at + 20)}`);
  }
  return tokens;
}

/** Whether an operator after this token has a left operand. */
export const endsOperand = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.kind === 'name'
    ? !OPERAND_FOLLOWS.has(token.text)
    : token.kind !== 'operator' && token.kind !== 'open' && token.kind !== 'template');

function matchAt(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}
