// Lists the commands with their options, help and examples. The code of a command is loaded when it runs.
import type { Command } from './command.ts';

export interface CommandRow {
  /** The name and arguments. A name of two words is a command of a group. */
  readonly usage: string;
  readonly summary: string;
  /** Flags → meaning. An option whose value ends in `...` may be repeated. */
  readonly options?: Readonly<Record<string, string>>;
  /** Set to false for a command without the option --json. */
  readonly json?: false;
  readonly examples: readonly string[];
  readonly load: () => Promise<Command>;
}

const PROVIDER_OPTION = { '--provider <name>': 'fal, replicate, openai or comfyui (default: fal)' };
const CHANGE_OPTIONS = {
  '--dry-run': 'show what would change and write nothing',
  '--yes': 'apply even if more than a fifth would change',
};

/** The commands, in the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  {
    usage: 'serve',
    json: false,
    summary: 'serve the API and run workflows, until SIGINT or SIGTERM',
    examples: ['graphwright serve', 'PORT=8080 DATA_DIR=/var/lib/graphwright graphwright serve'],
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    usage: 'worker',
    json: false,
    summary: 'run workflows for services that share DATABASE_URL',
    examples: ['DATABASE_URL=postgres://db.internal/graphwright graphwright worker'],
    load: async () => (await import('./serve.ts')).runWorker,
  },
  {
    usage: 'migrate',
    summary: 'bring the database up to date and stop',
    examples: ['DATABASE_URL=postgres://db.internal/graphwright graphwright migrate'],
    load: async () => (await import('./database.ts')).migrate,
  },
  {
    usage: 'run <file|workflow-id>',
    summary: 'run a workflow on a running service and follow it node by node',
    options: {
      '-i, --input <input=value...>': "the value of an input, by the input's name or the id of its node",
      '--use-sample': 'use the sample results of the template instead of nodes whose provider is missing',
    },
    examples: [
      'graphwright run examples/postcard.json',
      'graphwright run wf_01k… --input greeting="Hello from Lisbon"',
    ],
    load: async () => (await import('./run.ts')).run,
  },
  {
    usage: 'batch <workflow-id|batch-id> [table]',
    summary: 'run a workflow over the rows of a table, and save the results',
    options: {
      '--map <input=column...>':
        "the column with the values of an input, by the input's name or the id of its node",
      '--key <column>': 'the column with the keys of the rows',
      '--encoding <name>': 'the encoding of the table, such as windows-1252 (default: detected)',
      '--max-credits <number>': 'the most that the batch may cost; required if the workflow costs credits',
      '--concurrency <number>': 'rows that run at the same time (default: 10)',
      '--first <number>': 'run only these rows at first',
      '-o, --out <folder>':
        'save the rows and the files of the results here; the same command with the same table follows the same batch',
      '--again': 'run all rows again, although the folder has their results',
    },
    examples: [
      'graphwright batch wf_01k… rows.csv --map prompt=text --max-credits 500 -o out/',
      'graphwright batch bat_01k… -o out/',
    ],
    load: async () => (await import('./batch.ts')).batch,
  },
  {
    usage: 'batches stop <id>',
    summary: 'start no more rows of a batch',
    options: { '--cancel-running': 'also cancel the rows that are running' },
    examples: ['graphwright batches stop bat_01k…'],
    load: async () => (await import('./batch.ts')).stopBatch,
  },
  {
    usage: 'batches resume <id>',
    summary: 'run the remaining rows of a batch',
    options: {
      '--max-credits <number>': 'the most that the whole batch may cost from now on',
      '--concurrency <number>': 'rows that run at the same time from now on',
    },
    examples: ['graphwright batches resume bat_01k…'],
    load: async () => (await import('./batch.ts')).resumeBatch,
  },
  {
    usage: 'batches retry <id>',
    summary: 'run the failed rows of a batch again, without the nodes that completed',
    options: { '--include-cancelled': 'also run canceled rows' },
    examples: ['graphwright batches retry bat_01k…'],
    load: async () => (await import('./batch.ts')).retryBatch,
  },
  {
    usage: 'automations list',
    summary: 'list the schedules and triggers of all workflows that you may edit',
    examples: ['graphwright automations list'],
    load: async () => (await import('./automations.ts')).listAutomations,
  },
  {
    usage: 'automations pause <id>',
    summary: 'pause a schedule or trigger',
    examples: ['graphwright automations pause sch_01k…'],
    load: async () => (await import('./automations.ts')).pauseAutomation,
  },
  {
    usage: 'automations resume <id>',
    summary: 'activate a schedule or trigger; what passed meanwhile does not run',
    examples: ['graphwright automations resume sch_01k…'],
    load: async () => (await import('./automations.ts')).resumeAutomation,
  },
  {
    usage: 'automations run <id>',
    summary: 'run a schedule or trigger now, and print the id of the execution',
    examples: ['graphwright automations run sch_01k…'],
    load: async () => (await import('./automations.ts')).runAutomation,
  },
  {
    usage: 'lint <file>',
    summary: 'check a workflow file, without a service or database',
    examples: ['graphwright lint examples/postcard.json'],
    load: async () => (await import('./lint.ts')).lint,
  },
  {
    usage: 'layout <file>',
    json: false,
    summary:
      'lay out a workflow file, without a service or database; prints it unless an output file is given',
    options: {
      '-o, --out <file>': 'write the workflow to this file',
      '--svg <file>': 'write a drawing to this file',
      '--direction <direction>': 'RIGHT or DOWN (default: RIGHT)',
      '--json': 'print the moved nodes instead',
    },
    examples: ['graphwright layout examples/postcard.json --svg postcard.svg'],
    load: async () => (await import('./layout.ts')).layout,
  },
  {
    usage: 'render [scene]',
    summary:
      'render a scene graph or template to a video, or one of its frames, without a service or database',
    options: {
      '-o, --out <file>':
        'output file: .mp4, or with --frame .png, .jpg or .webp (default: out.mp4, out.png)',
      '--frame <number>': 'render one frame as an image, counted from 0',
      '--range <from-to>': 'first frame, and frame after the last one (default: all)',
      '--scale <factor>': '0.1 to 1 of its own size (default: 1)',
      '--template <id>': 'a template instead of a scene file',
      '--props <file>': "the template's props, as JSON",
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
    json: false,
    summary: 'draw stills of a scene file, and redraw them when it changes',
    options: {
      '--watch': 'continue until SIGINT; errors in the scene are printed with their location',
      '--frames <list>': 'such as 0,30,60 (default: four at equal distances, or the middle one for a file)',
      '--scale <factor>': '0.1 to 1 of its own size (default: 0.5)',
      '-o, --out <path>': 'a folder, or a .png file for one frame (default: preview)',
    },
    examples: ['graphwright preview --watch examples/scenes/launch-reel.json --frames 0,60,120'],
    load: async () => (await import('./preview.ts')).preview,
  },
  {
    usage: 'mcp',
    summary: 'connect an agent over stdin and stdout to a running service',
    json: false,
    examples: ['GRAPHWRIGHT_API_KEY=sk-… graphwright mcp'],
    load: async () => (await import('./mcp.ts')).mcp,
  },
  {
    usage: 'nodes [type]',
    summary: 'list the node types, or show the ports and fields of one',
    options: { '--category <name>': 'only this category' },
    examples: ['graphwright nodes --category logic', 'graphwright nodes utility:image_resize'],
    load: async () => (await import('./nodes.ts')).nodes,
  },
  {
    usage: 'keys create <name>',
    summary: 'create an API key and print it once',
    options: {
      '--scope <scope...>': 'a scope of the key; repeat it for several (default: read, write and execute)',
      '--expires <time>': 'when it expires, e.g. 2027-01-31',
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
    examples: ['graphwright keys list'],
    load: async () => (await import('./keys.ts')).listKeys,
  },
  {
    usage: 'keys revoke <id>',
    summary: 'revoke an API key; takes effect everywhere within 5 seconds',
    examples: ['graphwright keys revoke key_01k…'],
    load: async () => (await import('./keys.ts')).revokeKey,
  },
  {
    usage: 'credentials add <kind>',
    summary: 'store the key of a model provider; it is read from stdin, a prompt or GRAPHWRIGHT_CREDENTIAL',
    options: {
      '--name <name>': 'display name (default: the kind)',
      '--instance': 'for everyone on the service, not for one workspace',
      '--team <id>': 'for this team (default: your active workspace)',
      '--base-url <url>': "the address, if it is not the provider's own",
      '--server <name>': 'for openai: the name by which nodes choose this server',
      '--limit <usd>': 'the most that its calls may cost in a day',
      '--default': 'use it for all workflows that choose no other',
      '--untested': 'store it without asking the provider first',
    },
    examples: [
      'graphwright credentials add fal --name "Studio key" < key.txt',
      'graphwright credentials add openai --instance',
      'graphwright credentials add openai --instance --server ollama --base-url http://127.0.0.1:11434/v1 < /dev/null',
    ],
    load: async () => (await import('./credentials.ts')).addCredential,
  },
  {
    usage: 'credentials list',
    summary: 'list the stored keys of model providers, without their values',
    options: {
      '--instance': "the instance's, including those of its settings",
      '--team <id>': 'those of this team (default: your active workspace)',
    },
    examples: ['graphwright credentials list', 'graphwright credentials list --instance'],
    load: async () => (await import('./credentials.ts')).listCredentials,
  },
  {
    usage: 'credentials test <id>',
    summary: 'ask the provider whether it accepts a stored key, free of charge',
    examples: ['graphwright credentials test cred_01k…'],
    load: async () => (await import('./credentials.ts')).testCredential,
  },
  {
    usage: 'credentials remove <id>',
    summary: 'delete a stored key; calls in flight end with it',
    options: { '--force': 'delete it even if workflows use it' },
    examples: ['graphwright credentials remove cred_01k…'],
    load: async () => (await import('./credentials.ts')).removeCredential,
  },
  {
    usage: 'users create <email>',
    summary: 'create an account and print its first API key once, or a link to set a password',
    options: {
      '--name <name>': 'display name (default: the email up to the @)',
      '--plan <plan>': 'plan of the account (default: DEFAULT_PLAN)',
      '--author': 'make it an author of content pages',
      '--admin': 'make it an administrator',
      '--invite': 'print a link to set a password, instead of a key',
      '--scope <scope...>': 'a scope of the key; repeat it for several (default: read, write and execute)',
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
    summary: 'print a link where the first user sets email, name and password',
    examples: ['graphwright users setup-link'],
    load: async () => (await import('./users.ts')).createSetUpLink,
  },
  {
    usage: 'users password <email>',
    summary: 'print a link to set a new password for an account',
    examples: ['graphwright users password ana@example.com'],
    load: async () => (await import('./users.ts')).createResetLink,
  },
  {
    usage: 'users reset-second-factor <email>',
    summary: 'remove the second factors of an account whose owner lost them, and end its sessions',
    examples: ['graphwright users reset-second-factor ana@example.com'],
    load: async () => (await import('./users.ts')).resetSecondFactor,
  },
  {
    usage: 'teams create <name>',
    summary: 'create a team and print its id',
    examples: ['graphwright teams create "Studio Lisbon"'],
    load: async () => (await import('./teams.ts')).createTeam,
  },
  {
    usage: 'teams add <team-id> <email>',
    summary: 'invite someone to a team and print the link to accept',
    options: { '--role <role>': 'VIEWER, EDITOR or OWNER (default: VIEWER)' },
    examples: ['graphwright teams add team_01k… ana@example.com --role EDITOR'],
    load: async () => (await import('./teams.ts')).inviteMember,
  },
  {
    usage: 'credits grant <user-or-team-id> <amount>',
    summary: 'grant credits to an account or a team; a negative amount revokes credits',
    options: { '--note <text>': 'reason, stored in the ledger' },
    examples: [
      'graphwright credits grant 3 500 --note "Opening balance"',
      'graphwright credits grant team_01k… -200',
    ],
    load: async () => (await import('./credits.ts')).grantCredits,
  },
  {
    usage: 'templates list',
    summary: 'list the templates of a running service',
    options: {
      '--shelf <shelf>': 'verbs, ads, video or text-and-sound',
      '--runs-now': 'only templates whose nodes can all run',
    },
    examples: ['graphwright templates list', 'graphwright templates list --runs-now'],
    load: async () => (await import('./templates.ts')).listTemplates,
  },
  {
    usage: 'templates use <name>',
    summary: 'copy a template to a new workflow',
    options: { '--name <name>': 'the name of the workflow (default: the title of the template)' },
    examples: [
      'graphwright templates use quote-cards',
      'graphwright templates use slideshow --name "Our trip"',
    ],
    load: async () => (await import('./templates.ts')).applyTemplate,
  },
  {
    usage: 'workflows export <id>',
    json: false,
    summary: 'write a workflow with its components and media to a file; prints it unless one is given',
    options: { '-o, --out <file>': 'write the workflow to this file' },
    examples: ['graphwright workflows export wf_01k… -o poster.json'],
    load: async () => (await import('./workflows.ts')).exportWorkflow,
  },
  {
    usage: 'workflows import <file>',
    summary: 'create a workflow from an exported file, with its components and media',
    examples: ['graphwright workflows import poster.json'],
    load: async () => (await import('./workflows.ts')).importWorkflow,
  },
  {
    usage: 'import <file>',
    summary:
      'create a workflow from a file of ComfyUI (JSON, or a PNG or WebP image) or fal, or from an exported file',
    options: {
      '--name <name>': 'name of the workflow (default: the name of the file)',
      '--dry-run': 'only report what would be imported',
    },
    examples: ['graphwright import portrait.json', 'graphwright import portrait.png --dry-run'],
    load: async () => (await import('./import-file.ts')).importFile,
  },
  {
    usage: 'workflows restore <id>',
    summary: 'restore a deleted workflow; it stays inactive',
    examples: ['graphwright workflows restore wf_01k…'],
    load: async () => (await import('./workflows.ts')).restoreWorkflow,
  },
  {
    usage: 'backup <file>',
    summary: 'back up database and media to one file, also while the service runs',
    options: {
      '--with-secrets-key': 'include the secrets key (default: not included)',
    },
    examples: ['graphwright backup graphwright.tar', 'graphwright backup nightly.tar --json'],
    load: async () => (await import('./upkeep/backup.ts')).backup,
  },
  {
    usage: 'restore <file>',
    summary: 'restore a backup, all or nothing; the service must be stopped',
    options: {
      '--force': 'replace existing data in the database and media storage',
      '--without-secrets': 'continue without the secrets key; stored secrets become unreadable',
    },
    examples: ['graphwright restore graphwright.tar', 'graphwright restore graphwright.tar --force'],
    load: async () => (await import('./upkeep/restore.ts')).restore,
  },
  {
    usage: 'secrets rotate',
    summary: 'encrypt all stored secrets with a new key; the service must be stopped',
    examples: ['SECRETS_KEY=$OLD NEW_SECRETS_KEY=$NEW graphwright secrets rotate'],
    load: async () => (await import('./upkeep/secrets.ts')).rotateKey,
  },
  {
    usage: 'secrets reset',
    summary: 'continue with another key because the old one is lost; its secrets become unreadable',
    examples: ['graphwright secrets reset'],
    load: async () => (await import('./upkeep/secrets.ts')).resetKey,
  },
  {
    usage: 'models search [words...]',
    summary: "search a provider's list of models",
    options: { ...PROVIDER_OPTION, '--category <name>': 'only this category of the provider' },
    examples: ['graphwright models search veo', 'graphwright models search --provider replicate upscale'],
    load: async () => (await import('./models.ts')).searchModels,
  },
  {
    usage: 'models show <provider> <endpoint>',
    summary: 'show the node that a listed model would become',
    examples: ['graphwright models show fal fal-ai/veo3.1'],
    load: async () => (await import('./models.ts')).showModel,
  },
  {
    usage: 'models add <provider> [endpoints...]',
    summary:
      'add models to the catalog, in every process and without a restart; or check a folder with an ONNX model and copy it to LOCAL_MODELS_DIR',
    options: { ...CHANGE_OPTIONS },
    examples: [
      'graphwright models add fal fal-ai/veo3.1',
      'graphwright models add openai llama3.2',
      'graphwright models add local:./u2net',
    ],
    load: async () => (await import('./models.ts')).addModels,
  },
  {
    usage: 'models sync',
    summary: "bring the models up to date with their provider's list",
    options: {
      ...PROVIDER_OPTION,
      '--category <name>': 'add all new models of this category',
      '--all': 'add all new models',
      ...CHANGE_OPTIONS,
    },
    examples: ['graphwright models sync --dry-run', 'graphwright models sync --category text-to-video'],
    load: async () => (await import('./models.ts')).syncModels,
  },
  {
    usage: 'models check',
    summary: 'report what sync would change; fails if anything would',
    options: { ...PROVIDER_OPTION },
    examples: ['graphwright models check --provider fal'],
    load: async () => (await import('./models.ts')).checkModels,
  },
  {
    usage: 'models remove <types...>',
    summary: 'hide models and deprecate them; graphs that have them still run',
    examples: ['graphwright models remove video:fal_veo3_1'],
    load: async () => (await import('./models.ts')).removeModels,
  },
  {
    usage: 'editor build',
    summary: 'bundle the web application ahead of the first start, for images',
    options: { '-o, --out <folder>': 'where to (default: EDITOR_DIR, else DATA_DIR/editor)' },
    examples: ['graphwright editor build --out /app/editor'],
    load: async () => (await import('./editor.ts')).buildEditor,
  },
  {
    usage: 'doctor',
    summary: 'check this machine and the settings',
    options: { '--find-servers': 'also look for servers of models on the usual ports of this machine' },
    examples: ['graphwright doctor', 'graphwright doctor --find-servers'],
    load: async () => (await import('./doctor.ts')).doctor,
  },
];

const ACCESS_NOTE = "over HTTP if GRAPHWRIGHT_API_KEY is set, otherwise directly on the service's database";

/** Groups of commands, by the first word of their usage. */
export const GROUPS: Readonly<Record<string, string>> = {
  models:
    "models as data: in MODELS_FILE, over HTTP if GRAPHWRIGHT_API_KEY is set, otherwise in the service's database",
  batches: 'batches of a running service',
  automations: 'schedules and triggers of a running service',
  keys: `API keys: ${ACCESS_NOTE}`,
  credentials: 'keys of model providers, stored on a running service',
  users: `accounts: ${ACCESS_NOTE}`,
  credits: `credits: ${ACCESS_NOTE}`,
  templates: 'the gallery of a running service',
  workflows: `workflows: ${ACCESS_NOTE}`,
  editor: 'the web application',
  secrets: 'the key of stored secrets',
  teams: `teams: ${ACCESS_NOTE}`,
};
