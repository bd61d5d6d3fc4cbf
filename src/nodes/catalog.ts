// Builds the node catalog from all definitions and the settings of the service.
import { type CodecSettings, hasBackend } from '../codecs/backend.ts';
import type { Catalog, ResolvedPorts } from '../graph/catalog.ts';
import { PROVIDER_URLS, type Settings } from '../lib/settings.ts';
import { LOCAL_FEATURES, type LocalFeature, listMissing } from '../local/packages.ts';
import { DISPLAY_NAMES, findDisplayName, findServerName } from '../providers/names.ts';
import { audioExtract, audioMix, audioMux, audioTrim } from './audio.ts';
import { group, stickyNote } from './canvas.ts';
import { textToImageCard } from './card.ts';
import { code } from './code.ts';
import { comfyWorkflow } from './comfyui/workflow.ts';
import { componentCall } from './component.ts';
import type { LocalRequirement, NodeDefinition, Requirement } from './define.ts';
import { httpRequest } from './http.ts';
import {
  imageAdjust,
  imageBlur,
  imageComposite,
  imageConvert,
  imageCrop,
  imageGrid,
  imageInfo,
  imageResize,
  imageRotate,
} from './image.ts';
import { importedUnknown } from './imported.ts';
import { inputAudio, inputImage, inputJson, inputList, inputNumber, inputText, inputVideo } from './input.ts';
import { jsonBuild, jsonExtract } from './json.ts';
import { collect, listItem, listSlice } from './list.ts';
import { blurFaces } from './local/blur-faces.ts';
import { cleanSpeech } from './local/clean-speech.ts';
import { cutoutPerson } from './local/cutout-person.ts';
import { language } from './local/language.ts';
import { ocr } from './local/ocr.ts';
import { createOwnNodes } from './local/own-models.ts';
import { upscale } from './local/upscale.ts';
import { vectorize } from './local/vectorize.ts';
import { approval, delay, logicIf, logicSwitch, merge } from './logic.ts';
import { math } from './math.ts';
import { generateComfyUi, videoComfyUi } from './models/comfyui.ts';
import type { Model } from './models/model.ts';
import { withModelFacts } from './models/model-facts.ts';
import { toDefinition } from './models/model-node.ts';
import { editOpenAi, generateOpenAi, textOpenAiChat, textOpenAiResponses } from './models/openai.ts';
import { withPrices } from './models/operator-prices.ts';
import type { ProviderSettings } from './models/providers.ts';
import { withAnySize } from './models/servers.ts';
import { readShippedModels } from './models/shipped.ts';
import { gallery, preview } from './output.ts';
import { videoRenderer } from './renderer.ts';
import { editSandbox, generateSandbox } from './sandbox.ts';
import { talkingSandbox, videoSandbox } from './sandbox-video.ts';
import { createSpeechNode, ENGINES, SPEECH_REQUIREMENTS } from './speech.ts';
import { promptConcat, textReplace, textSplit, textTemplate } from './text.ts';
import { audioTranscription } from './transcription.ts';
import { videoConcat, videoFrame, videoInfo, videoTrim } from './video.ts';

const DEFINITIONS: readonly NodeDefinition[] = [
  inputText,
  inputNumber,
  inputJson,
  inputList,
  inputImage,
  inputVideo,
  inputAudio,
  preview,
  gallery,
  promptConcat,
  textTemplate,
  textSplit,
  textReplace,
  jsonExtract,
  jsonBuild,
  math,
  code,
  listItem,
  listSlice,
  httpRequest,
  imageResize,
  imageCrop,
  imageRotate,
  imageAdjust,
  imageBlur,
  imageComposite,
  imageGrid,
  imageConvert,
  imageInfo,
  videoTrim,
  videoConcat,
  videoFrame,
  videoInfo,
  audioTrim,
  audioMix,
  audioExtract,
  audioMux,
  upscale,
  cutoutPerson,
  blurFaces,
  ocr,
  cleanSpeech,
  vectorize,
  language,
  textToImageCard,
  videoRenderer,
  generateSandbox,
  editSandbox,
  videoSandbox,
  talkingSandbox,
  generateOpenAi,
  comfyWorkflow,
  importedUnknown,
  generateComfyUi,
  editOpenAi,
  videoComfyUi,
  textOpenAiChat,
  textOpenAiResponses,
  audioTranscription,
  logicIf,
  logicSwitch,
  merge,
  collect,
  delay,
  approval,
  componentCall,
  group,
  stickyNote,
];

// In the order of the files in models/.
const SHIPPED: readonly NodeDefinition[] = readShippedModels().map(toDefinition);

const NO_PORTS: ResolvedPorts = { inputs: [], outputs: [] };

/** The settings that the catalog depends on. */
export type CatalogSettings = Pick<Settings, 'SANDBOX_MODELS'> &
  Partial<Pick<Settings, 'prices' | 'CODE_NODES' | 'LOCAL_NODES' | 'LOCAL_MODELS_DIR'>> &
  Partial<ProviderSettings> &
  CodecSettings;

interface RequirementCheck {
  isMet(settings: CatalogSettings): boolean;
  /** For a provider: a sentence that says why its nodes cannot run and what to do. */
  readonly missingProvider?: string;
  /** For other requirements: why runs of its nodes are refused. Without it, they fail. */
  readonly refusal?: (settings: CatalogSettings) => string;
}

const LOCAL_REQUIREMENTS = Object.fromEntries(
  LOCAL_FEATURES.map(feature => [`local-${feature}`, createLocalCheck(feature)]),
) as Readonly<Record<LocalRequirement, RequirementCheck>>;

function createLocalCheck(feature: LocalFeature): RequirementCheck {
  return {
    isMet: ({ LOCAL_NODES }) => LOCAL_NODES !== 'off' && listMissing(feature).length === 0,
    refusal: ({ LOCAL_NODES }) =>
      LOCAL_NODES === 'off'
        ? 'Nodes that run models on this machine are turned off. Ask the operator to set LOCAL_NODES=on.'
        : `Packages of this node are not installed: ${listMissing(feature).join(', ')}. Ask the operator to install them with npm ci.`,
  };
}

type FixedRequirement = Exclude<Requirement, `openai/${string}`>;

const REQUIREMENTS: Readonly<Record<FixedRequirement, RequirementCheck>> = {
  ...LOCAL_REQUIREMENTS,
  sandbox: { isMet: settings => settings.SANDBOX_MODELS },
  code: { isMet: settings => settings.CODE_NODES !== false },
  codec: { isMet: settings => hasBackend(settings) },
  'sandbox-video': { isMet: settings => settings.SANDBOX_MODELS && hasBackend(settings) },
  fal: createProviderCheck(DISPLAY_NAMES.fal, 'FAL_KEY'),
  replicate: createProviderCheck(DISPLAY_NAMES.replicate, 'REPLICATE_API_TOKEN'),
  openai: createProviderCheck(DISPLAY_NAMES.openai, 'OPENAI_API_KEY'),
  elevenlabs: createProviderCheck(DISPLAY_NAMES.elevenlabs, 'ELEVENLABS_API_KEY'),
  comfyui: createProviderCheck(DISPLAY_NAMES.comfyui, 'COMFYUI_URL', 'Add its address in the settings'),
  'speech-command': createProviderCheck('A local speech engine', 'SPEECH_COMMAND', 'Choose another engine'),
};

/** Returns the check of a requirement. A named server is a requirement of its own. */
function getCheck(need: Requirement): RequirementCheck {
  const server = findServerName(need);
  if (server === undefined) return REQUIREMENTS[need as FixedRequirement];
  return {
    isMet: ({ OPENAI_SERVERS = [] }) => OPENAI_SERVERS.some(({ name }) => name === server),
    missingProvider: `The server “${server.slice(0, MAX_SERVER_NAME)}” is not set up. Add it in the settings, or choose another one.`,
  };
}

/** A graph may contain a longer name, which no server has. */
const MAX_SERVER_NAME = 64;

function createProviderCheck(
  name: string,
  setting: keyof ProviderSettings,
  remedy = 'Add a key in the settings',
): RequirementCheck {
  return {
    isMet: settings => settings[setting] !== undefined,
    missingProvider: `${name} is not configured. ${remedy}, or ask the operator to set ${setting}.`,
  };
}

/** The node types of one service: the catalog that it shows, and the definitions that its runs use. */
export interface NodeTypes {
  readonly catalog: Catalog;
  readonly findNode: typeof findNode;
  /** Sets the installed models, which extend the shipped ones. A model of the same type replaces the shipped one. */
  install(models: readonly Model[]): void;
}

/** Plain data from which another thread can create the same catalog. */
export interface CatalogOrigin {
  readonly settings: CatalogSettings;
  readonly models: readonly Model[];
}

const origins = new WeakMap<Catalog, () => CatalogOrigin>();

/**
 * Returns the data that the catalog was created from: the same object until models are installed. Returns undefined for
 * a catalog that `createNodeTypes` did not create.
 */
export function getCatalogOrigin(catalog: Catalog): CatalogOrigin | undefined {
  return origins.get(catalog)?.();
}

export function restoreCatalog({ settings, models }: CatalogOrigin): Catalog {
  const types = createNodeTypes(settings);
  types.install(models);
  return types.catalog;
}

/** Creates the node types of a service. The catalog object stays valid when models are installed; `entries` changes. */
export function createNodeTypes(settings: CatalogSettings): NodeTypes {
  let origin: CatalogOrigin = { settings, models: [] };
  const ownNodes = createOwnNodes(settings.LOCAL_MODELS_DIR);
  let current = buildCatalog(listDefinitions(settings, ownNodes), settings);
  const catalog: Catalog = {
    get entries() {
      return current.entries;
    },
    find: nodeType => current.find(nodeType),
    ports: (nodeType, config) => current.ports(nodeType, config),
    findWarnings: (nodeType, config, texts) =>
      current.findNode(nodeType)?.findWarnings?.(config, texts) ?? [],
  };
  origins.set(catalog, () => origin);
  return {
    catalog,
    findNode: nodeType => current.findNode(nodeType),
    install: models => {
      origin = { settings, models };
      current = buildCatalog(listDefinitions(settings, [...ownNodes, ...models.map(toDefinition)]), settings);
    },
  };
}

/** Lists all definitions: the nodes with the prices and speech engines of these settings, and the installed models. */
function listDefinitions(
  settings: CatalogSettings,
  installed: readonly NodeDefinition[],
): readonly NodeDefinition[] {
  const engines = ENGINES.filter(engine => REQUIREMENTS[SPEECH_REQUIREMENTS[engine]].isMet(settings));
  const definitions = [...DEFINITIONS, createSpeechNode(engines), ...SHIPPED, ...installed];
  // A later definition of the same type replaces an earlier one.
  const byType = new Map(definitions.map(definition => [definition.entry.nodeType, definition]));
  const { OPENAI_BASE_URL = PROVIDER_URLS.openai } = settings;
  const adapt = OPENAI_BASE_URL === PROVIDER_URLS.openai ? (same: NodeDefinition) => same : withAnySize;
  return [...byType.values()]
    .map(adapt)
    .map(definition => withModelFacts(withPrices(definition, settings.prices ?? {})));
}

function buildCatalog(
  definitions: readonly NodeDefinition[],
  settings: CatalogSettings,
): Catalog & Pick<NodeTypes, 'findNode'> {
  const isMet = (need: Requirement | undefined): boolean =>
    need === undefined || getCheck(need).isMet(settings);
  const hasServers = (settings.OPENAI_SERVERS ?? []).length > 0;
  const entries = definitions.map(({ entry, requires, serverRoute }) => {
    const need = requires({});
    if (isMet(need) || (serverRoute !== undefined && hasServers)) return entry;
    const provider = need !== undefined && findDisplayName(need) !== undefined ? { provider: need } : {};
    return { ...entry, hidden: true as const, isAvailable: false as const, ...provider };
  });
  const byType = new Map(
    entries.map((entry, index) => [
      entry.nodeType,
      { entry, definition: definitions[index] as NodeDefinition },
    ]),
  );
  return {
    entries,
    findNode: nodeType => byType.get(nodeType)?.definition,
    find: nodeType => byType.get(nodeType)?.entry,
    ports: (nodeType, config) => {
      const definition = byType.get(nodeType)?.definition;
      if (definition === undefined) return NO_PORTS;
      const need = definition.requires(config);
      const ports = withProvider(definition.ports(config), need);
      if (need === undefined || isMet(need) || ports.unavailableReason !== undefined) return ports;
      const refusal = getCheck(need).refusal?.(settings);
      if (refusal !== undefined)
        return { ...ports, unavailableReason: refusal, unavailableCode: 'local_nodes_off' };
      const unavailableReason = explainRequirement(need);
      return unavailableReason === undefined ? ports : { ...ports, unavailableReason };
    },
  };
}

const SHIPPED_TYPES = createNodeTypes({ SANDBOX_MODELS: true });

const withProvider = (ports: ResolvedPorts, need: Requirement | undefined): ResolvedPorts =>
  need === undefined || getCheck(need).missingProvider === undefined ? ports : { ...ports, provider: need };

/** Returns a definition as shipped: without the operator's prices and configured providers. */
export function findNode(nodeType: string): NodeDefinition | undefined {
  return SHIPPED_TYPES.findNode(nodeType);
}

/** Creates the catalog for lint, plan, layout and `GET /nodes`. Entries whose requirement is not met are hidden. */
export function createNodeCatalog(settings: CatalogSettings): Catalog {
  return createNodeTypes(settings).catalog;
}

/** Returns the provider that a node with this config needs, or undefined if it needs none or its type is unknown. */
export function findNeededProvider(
  definition: NodeDefinition | undefined,
  config: Readonly<Record<string, unknown>>,
): Requirement | undefined {
  const need = definition?.requires(config);
  return need === undefined || getCheck(need).missingProvider === undefined ? undefined : need;
}

/** Returns a sentence that says why a node with this unmet requirement cannot run, if the requirement is a provider. */
export const explainRequirement = (need: Requirement): string | undefined => getCheck(need).missingProvider;
