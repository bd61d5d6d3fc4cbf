// The commands, their options and help. The one owner of the argument parser; each command's code is loaded when it runs.
import { Command as Parser } from 'commander';
import { listSettings } from '../lib/settings.ts';
import type { Command, CommandInput, OptionValue } from './command.ts';
import { UsageError } from './failure.ts';
import { alignColumns } from './terminal/text-width.ts';
import { readVersion } from './version.ts';

interface CommandRow {
  /** Name and arguments; a name of two words is a command of a group. */
  readonly usage: string;
  readonly summary: string;
  /** Flags → meaning. An option whose value ends in `...` may be given several times. */
  readonly options?: Readonly<Record<string, string>>;
  readonly examples: readonly string[];
  readonly load: () => Promise<Command>;
}

const JSON_OPTION = { '--json': 'print one JSON document instead of text' };

const PROVIDER_OPTION = { '--provider <name>': 'fal, replicate, openai or comfyui (default: fal)' };
const CHANGE_OPTIONS = {
  '--dry-run': 'show what would change and write nothing',
  '--yes': 'also where more than a fifth would change',
};

const COMMANDS: readonly CommandRow[] = [
  {
    usage: 'serve',
    summary: 'serve the API and run workflows, until SIGINT or SIGTERM',
    examples: ['graphwright serve', 'PORT=8080 DATA_DIR=/var/lib/graphwright graphwright serve'],
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    usage: 'worker',
    summary: 'run workflows for services that share DATABASE_URL',
    examples: ['DATABASE_URL=postgres://db.internal/graphwright graphwright worker'],
    load: async () => (await import('./serve.ts')).work,
  },
  {
    usage: 'migrate',
    summary: 'bring the database up to date and stop',
    options: JSON_OPTION,
    examples: ['DATABASE_URL=postgres://db.internal/graphwright graphwright migrate'],
    load: async () => (await import('./migrate.ts')).migrate,
  },
  {
    usage: 'run <file|workflow-id>',
    summary: 'run a workflow on a running service and follow it node by node',
    options: {
      '-i, --input <node=value...>': "the value of an input node, by the node's id",
      ...JSON_OPTION,
    },
    examples: [
      'graphwright run examples/postcard.json',
      'graphwright run wf_01k… --input greeting="Hello from Lisbon"',
    ],
    load: async () => (await import('./run.ts')).run,
  },
  {
    usage: 'lint <file>',
    summary: 'check a workflow file, without service or database',
    options: JSON_OPTION,
    examples: ['graphwright lint examples/postcard.json'],
    load: async () => (await import('./lint.ts')).lint,
  },
  {
    usage: 'layout <file>',
    summary: 'lay a workflow file out, without service or database; prints it unless a file is named',
    options: {
      '-o, --out <file>': 'write the workflow there',
      '--svg <file>': 'draw it there',
      '--direction <direction>': 'RIGHT or DOWN (default: RIGHT)',
      '--json': 'print what moved instead',
    },
    examples: ['graphwright layout examples/postcard.json --svg postcard.svg'],
    load: async () => (await import('./layout.ts')).layout,
  },
  {
    usage: 'render [scene]',
    summary: 'render a scene graph or a template as a video, or one frame of it, without service or database',
    options: {
      '-o, --out <file>': 'where to: .mp4, or with --frame .png, .jpg or .webp (default: out.mp4, out.png)',
      '--frame <number>': 'one frame as a picture, counted from 0',
      '--range <from-to>': 'frames of the video; the second is not rendered (default: all)',
      '--scale <factor>': '0.1 to 1 of its own size (default: 1)',
      '--template <id>': 'a template instead of a scene file',
      '--props <file>': "the template's props, as JSON",
      ...JSON_OPTION,
    },
    examples: [
      'graphwright render examples/scenes/launch-reel.json -o reel.mp4',
      'graphwright render examples/scenes/launch-reel.json --frame 60 -o still.png',
      'graphwright render --template quote-card --props quote.json -o quote.mp4',
    ],
    load: async () => (await import('./render.ts')).render,
  },
  {
    usage: 'preview <scene>',
    summary: 'draw stills of a scene file, again whenever it changes',
    options: {
      '--watch': 'go on until SIGINT; faults of the scene are printed with their place',
      '--frames <list>': 'such as 0,30,60 (default: four at equal distances)',
      '--scale <factor>': '0.1 to 1 of its own size (default: 0.5)',
      '-o, --out <folder>': 'where to (default: preview)',
    },
    examples: ['graphwright preview --watch examples/scenes/launch-reel.json --frames 0,60,120'],
    load: async () => (await import('./preview.ts')).preview,
  },
  {
    usage: 'mcp',
    summary: 'let an agent that speaks over stdin and stdout use a running service',
    options: {},
    examples: ['GRAPHWRIGHT_API_KEY=sk-… graphwright mcp'],
    load: async () => (await import('./mcp.ts')).mcp,
  },
  {
    usage: 'nodes [type]',
    summary: 'list the node types, or show the ports and fields of one',
    options: { '--category <name>': 'only this category', ...JSON_OPTION },
    examples: ['graphwright nodes --category logic', 'graphwright nodes utility:image_resize'],
    load: async () => (await import('./nodes.ts')).nodes,
  },
  {
    usage: 'keys create <name>',
    summary: 'mint an API key and print it once',
    options: {
      '--scope <scope...>': "what the key may do (default: all that the maker's may)",
      '--expires <time>': 'when it ends, e.g. 2027-01-31',
      ...JSON_OPTION,
    },
    examples: [
      'graphwright keys create laptop',
      'graphwright keys create ci --scope workflows:execute --expires 2027-01-31',
    ],
    load: async () => (await import('./keys.ts')).createKey,
  },
  {
    usage: 'keys list',
    summary: 'list the API keys',
    options: JSON_OPTION,
    examples: ['graphwright keys list'],
    load: async () => (await import('./keys.ts')).listKeys,
  },
  {
    usage: 'keys revoke <id>',
    summary: 'end an API key, everywhere within 5 seconds',
    options: JSON_OPTION,
    examples: ['graphwright keys revoke key_01k…'],
    load: async () => (await import('./keys.ts')).revokeKey,
  },
  {
    usage: 'users create <email>',
    summary: 'make an account and print its first API key once, or a link to choose a password at',
    options: {
      '--name <name>': 'how it is called (default: the email up to the @)',
      '--plan <plan>': 'whose limits it has (default: DEFAULT_PLAN)',
      '--author': 'content pages are in its name',
      '--admin': 'its sessions may do what operators may',
      '--invite': 'print a link to choose a password at, instead of a key',
      '--scope <scope...>': 'what the key may do (default: read, write and execute)',
      ...JSON_OPTION,
    },
    examples: [
      'graphwright users create ana@example.com',
      'graphwright users create ana@example.com --invite',
      'graphwright users create ci@example.com --plan pro --scope workflows:execute',
    ],
    load: async () => (await import('./users.ts')).createUser,
  },
  {
    usage: 'users setup-link',
    summary: 'print a link at which the first user chooses email, name and password',
    options: JSON_OPTION,
    examples: ['graphwright users setup-link'],
    load: async () => (await import('./users.ts')).makeSetUpLink,
  },
  {
    usage: 'users password <email>',
    summary: 'print a link at which an account chooses another password',
    options: JSON_OPTION,
    examples: ['graphwright users password ana@example.com'],
    load: async () => (await import('./users.ts')).makeResetLink,
  },
  {
    usage: 'teams create <name>',
    summary: 'make a team and print its id',
    options: JSON_OPTION,
    examples: ['graphwright teams create "Studio Lisbon"'],
    load: async () => (await import('./teams.ts')).createTeam,
  },
  {
    usage: 'teams add <team-id> <email>',
    summary: 'add an account to a team',
    options: { '--role <role>': 'VIEWER, EDITOR or OWNER (default: VIEWER)', ...JSON_OPTION },
    examples: ['graphwright teams add team_01k… ana@example.com --role EDITOR'],
    load: async () => (await import('./teams.ts')).addMember,
  },
  {
    usage: 'credits grant <user-or-team-id> <amount>',
    summary: 'give credits to an account or a team; a negative amount takes back',
    options: { '--note <text>': 'why, kept in the ledger', ...JSON_OPTION },
    examples: [
      'graphwright credits grant 3 500 --note "Opening balance"',
      'graphwright credits grant team_01k… -200',
    ],
    load: async () => (await import('./credits.ts')).grantCredits,
  },
  {
    usage: 'workflows restore <id>',
    summary: 'recover a deleted workflow; it stays switched off',
    options: JSON_OPTION,
    examples: ['graphwright workflows restore wf_01k…'],
    load: async () => (await import('./workflows.ts')).restoreWorkflow,
  },
  {
    usage: 'backup <file>',
    summary: 'write database and media into one file, also while the service runs',
    options: {
      '--with-secrets-key': 'put the secrets key into the file too (default: it is not in it)',
      ...JSON_OPTION,
    },
    examples: ['graphwright backup graphwright.tar', 'graphwright backup nightly.tar --json'],
    load: async () => (await import('./upkeep/backup.ts')).backup,
  },
  {
    usage: 'restore <file>',
    summary: 'put a backup back, all of it or nothing; the service must be stopped',
    options: {
      '--force': 'replace what is in the database and in media storage',
      '--without-secrets': 'go on without the secrets key; stored secrets cannot be read then',
      ...JSON_OPTION,
    },
    examples: ['graphwright restore graphwright.tar', 'graphwright restore graphwright.tar --force'],
    load: async () => (await import('./upkeep/restore.ts')).restore,
  },
  {
    usage: 'secrets rotate',
    summary: 'encrypt all stored secrets by a new key; the service must be stopped',
    options: JSON_OPTION,
    examples: ['SECRETS_KEY=$OLD NEW_SECRETS_KEY=$NEW graphwright secrets rotate'],
    load: async () => (await import('./upkeep/secrets.ts')).rotate,
  },
  {
    usage: 'models search [words...]',
    summary: "search a provider's list of models",
    options: { ...PROVIDER_OPTION, '--category <name>': 'as the provider sorts them', ...JSON_OPTION },
    examples: ['graphwright models search veo', 'graphwright models search --provider replicate upscale'],
    load: async () => (await import('./models.ts')).searchModels,
  },
  {
    usage: 'models show <provider> <endpoint>',
    summary: 'show the node that a listed model would be',
    options: JSON_OPTION,
    examples: ['graphwright models show fal fal-ai/veo3.1'],
    load: async () => (await import('./models.ts')).showModel,
  },
  {
    usage: 'models add <provider> <endpoints...>',
    summary: 'add models to the catalog, in every process and without a restart',
    options: { ...CHANGE_OPTIONS, ...JSON_OPTION },
    examples: ['graphwright models add fal fal-ai/veo3.1', 'graphwright models add openai llama3.2'],
    load: async () => (await import('./models.ts')).addModels,
  },
  {
    usage: 'models sync',
    summary: "bring the models up to date with their provider's list",
    options: {
      ...PROVIDER_OPTION,
      '--category <name>': 'add all that is new in it',
      '--all': 'add all that is new',
      ...CHANGE_OPTIONS,
      ...JSON_OPTION,
    },
    examples: ['graphwright models sync --dry-run', 'graphwright models sync --category text-to-video'],
    load: async () => (await import('./models.ts')).syncModels,
  },
  {
    usage: 'models check',
    summary: 'report what sync would change, and fail where there is something',
    options: { ...PROVIDER_OPTION, ...JSON_OPTION },
    examples: ['graphwright models check --provider fal'],
    load: async () => (await import('./models.ts')).checkModels,
  },
  {
    usage: 'models remove <types...>',
    summary: 'hide models and deprecate them; graphs that have them still run',
    options: JSON_OPTION,
    examples: ['graphwright models remove video:fal_veo3_1'],
    load: async () => (await import('./models.ts')).removeModels,
  },
  {
    usage: 'editor build',
    summary: 'bundle the web application ahead of the first start, for images',
    options: { '-o, --out <folder>': 'where to (default: EDITOR_DIR, else DATA_DIR/editor)', ...JSON_OPTION },
    examples: ['graphwright editor build --out /app/editor'],
    load: async () => (await import('./editor.ts')).buildEditor,
  },
  {
    usage: 'doctor',
    summary: 'check that this machine has what the service needs',
    options: JSON_OPTION,
    examples: ['graphwright doctor'],
    load: async () => (await import('./doctor.ts')).doctor,
  },
];

const GROUPS: Readonly<Record<string, string>> = {
  models:
    "models as data: in MODELS_FILE, over HTTP where GRAPHWRIGHT_API_KEY is set, else in the service's own database",
  keys: "API keys: over HTTP where GRAPHWRIGHT_API_KEY is set, else on the service's own database",
  users: "accounts: over HTTP where GRAPHWRIGHT_API_KEY is set, else on the service's own database",
  credits: "credits: over HTTP where GRAPHWRIGHT_API_KEY is set, else on the service's own database",
  workflows: "workflows: over HTTP where GRAPHWRIGHT_API_KEY is set, else on the service's own database",
  editor: 'the web application',
  secrets: 'the key of stored secrets',
  teams: "teams: over HTTP where GRAPHWRIGHT_API_KEY is set, else on the service's own database",
};

const FIRST_EXAMPLES = ['graphwright serve', 'graphwright run examples/postcard.json'];

/** The parser of the command line. It throws a CommanderError for help, version and wrong usage. */
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
    .addHelpText('after', () => `${examplesHelp(FIRST_EXAMPLES)}${settingsHelp()}`);
  for (const row of COMMANDS) addCommand(program, row, context);
  return program;
}

/** The parser itself prints help for whatever comes with --help. Throws a UsageError that names what is no command. */
export function requireKnown(program: Parser, argv: readonly string[]): void {
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
  const parent = first in GROUPS ? findGroup(program, first) : program;
  const parser = parent
    .command(parent === program ? row.usage : rest.join(' '))
    .summary(row.summary)
    .description(`${row.summary[0]?.toUpperCase()}${row.summary.slice(1)}.`)
    .addHelpText('after', examplesHelp(row.examples));
  for (const [flags, meaning] of Object.entries(row.options ?? {})) addOption(parser, flags, meaning);
  parser.action(async () => {
    const command = await row.load();
    await command({ args: parser.args, options: parser.opts<Record<string, OptionValue>>(), ...context });
  });
}

// The parser's own `...` would swallow the argument that follows it, so each occurrence takes one value.
function addOption(parser: Parser, flags: string, meaning: string): void {
  if (!flags.endsWith('...>')) parser.option(flags, meaning);
  else
    parser.option(
      flags.replace('...>', '>'),
      `${meaning}; may be repeated`,
      (value: string, earlier: readonly string[] = []) => [...earlier, value],
    );
}

function findGroup(program: Parser, name: string): Parser {
  return (
    program.commands.find(command => command.name() === name) ??
    program.command(name).description(GROUPS[name] ?? '')
  );
}

function examplesHelp(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map(example => `  $ ${example}\n`).join('')}`;
}

function settingsHelp(): string {
  const rows = listSettings().map(({ name, shown, help }) => [`  ${name}`, shown, help]);
  const lines = alignColumns([['  variable', 'default', 'meaning'], ...rows]);
  return `\nSettings, from the environment:\n${lines.join('\n')}\n\nExit codes: 0 done, 1 the work failed, 2 wrong usage.`;
}
