// Builds the command-line parser from the table of commands.
import { Command as Parser } from 'commander';
import { listSettings } from '../lib/settings.ts';
import { readVersion } from '../lib/version.ts';
import { type CommandInput, type OptionValue, UsageError } from './command.ts';
import { COMMANDS, type CommandRow, GROUPS } from './commands.ts';
import { alignColumns } from './terminal/text-width.ts';

const FIRST_EXAMPLES = ['graphwright serve', 'graphwright run examples/postcard.json'];
const JSON_OPTION = { '--json': 'print one JSON document instead of text' };

/** Builds the parser, which also runs the command. The parser throws CommanderError for help, version and wrong usage. */
export function buildProgram(context: Pick<CommandInput, 'terminal' | 'signal'>): Parser {
  const program = new Parser('graphwright')
    .description('Stores, checks and runs workflow graphs of AI media nodes.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: text => context.terminal.print(text.trimEnd()),
      writeErr: text => context.terminal.note(text.trimEnd()),
      outputError: () => undefined,
    })
    .addHelpText('after', () => `${formatExamples(FIRST_EXAMPLES)}${formatSettings()}`);
  for (const row of COMMANDS) addCommand(program, row, context);
  return program;
}

/**
 * Throws a UsageError if the command or its subcommand is unknown. The parser itself would print help for any words with
 * --help.
 */
export function requireKnownCommand(program: Parser, argv: readonly string[]): void {
  let parser = program;
  for (const word of argv) {
    if (parser.commands.length === 0 || word.startsWith('-')) return;
    if (parser === program && word === 'help') continue;
    const found = parser.commands.find(command => command.name() === word);
    if (found === undefined)
      throw new UsageError(
        `unknown command '${word}'. Try graphwright ${parser === program ? '' : `${parser.name()} `}--help.`,
      );
    parser = found;
  }
}

function addCommand(
  program: Parser,
  row: CommandRow,
  context: Pick<CommandInput, 'terminal' | 'signal'>,
): void {
  const [first = '', ...rest] = row.usage.split(' ');
  const parent = first in GROUPS ? getOrCreateGroup(program, first) : program;
  const parser = parent
    .command(parent === program ? row.usage : rest.join(' '))
    .summary(row.summary)
    .description(`${row.summary[0]?.toUpperCase()}${row.summary.slice(1)}.`)
    .addHelpText('after', formatExamples(row.examples));
  const options = { ...row.options, ...(row.json === false ? {} : JSON_OPTION) };
  for (const [flags, meaning] of Object.entries(options)) addOption(parser, flags, meaning);
  parser.action(async () => {
    const command = await row.load();
    await command({ args: parser.args, options: parser.opts<Record<string, OptionValue>>(), ...context });
  });
}

// The parser's own `...` would consume the following arguments, so each occurrence takes one value.
function addOption(parser: Parser, flags: string, meaning: string): void {
  if (!flags.endsWith('...>')) parser.option(flags, meaning);
  else
    parser.option(
      flags.replace('...>', '>'),
      `${meaning}; may be repeated`,
      (value: string, previous: readonly string[] = []) => [...previous, value],
    );
}

function getOrCreateGroup(program: Parser, name: string): Parser {
  return (
    program.commands.find(command => command.name() === name) ??
    program.command(name).description(GROUPS[name] ?? '')
  );
}

function formatExamples(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map(example => `  $ ${example}\n`).join('')}`;
}

function formatSettings(): string {
  const rows = listSettings().map(({ name, defaultText, help }) => [`  ${name}`, defaultText, help]);
  const lines = alignColumns([['  variable', 'default', 'meaning'], ...rows]);
  return `\nSettings, from the environment:\n${lines.join('\n')}\n\nExit codes: 0 done, 1 the work failed, 2 wrong usage.`;
}
