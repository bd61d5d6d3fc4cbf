// The node catalog: every definition in one list, and the catalog that this service shows of it.
import { type CodecSettings, hasBackend } from '../codecs/backend.ts';
import type { Catalog, ResolvedPorts } from '../graph/catalog.ts';
import type { Settings } from '../lib/settings.ts';
import { audioExtract, audioMix, audioMux, audioTrim } from './audio.ts';
import { group, stickyNote } from './canvas.ts';
import { textToImageCard } from './card.ts';
import type { NodeDefinition, Requirement } from './define.ts';
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
import { inputAudio, inputImage, inputJson, inputList, inputNumber, inputText, inputVideo } from './input.ts';
import { jsonBuild, jsonExtract } from './json.ts';
import { collect, listItem, listSlice } from './list.ts';
import { approval, delay, logicIf, logicSwitch, merge } from './logic.ts';
import { math } from './math.ts';
import { generateComfyUi, videoComfyUi } from './models/comfyui.ts';
import { audioElevenLabsMusic, audioElevenLabsSound } from './models/elevenlabs.ts';
import {
  audioFalStable,
  editFalKontext,
  editFalQwen,
  editFalSeedream,
  generateFalFlux,
  generateFalSeedream,
  talkingFalFabric,
  talkingFalOmnihuman,
  videoFalKling,
  videoFalKlingTurbo,
  videoFalSeedance,
} from './models/fal.ts';
import { editOpenAi, generateOpenAi, textOpenAiChat, textOpenAiResponses } from './models/openai.ts';
import { withPrices } from './models/operator-prices.ts';
import type { ProviderSettings } from './models/providers.ts';
import {
  editReplicateKontext,
  generateReplicateFluxPro,
  generateReplicateFluxSchnell,
  textReplicateLlama,
  videoReplicateSeedance,
} from './models/replicate.ts';
import { gallery, preview } from './output.ts';
import { videoRenderer } from './renderer.ts';
import { editSandbox, generateSandbox } from './sandbox.ts';
import { talkingSandbox, videoSandbox } from './sandbox-video.ts';
import { ENGINES, makeSpeech, SPEECH_NEEDS } from './speech.ts';
import { promptConcat, textReplace, textSplit, textTemplate } from './text.ts';
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
  textToImageCard,
  videoRenderer,
  generateSandbox,
  editSandbox,
  videoSandbox,
  talkingSandbox,
  generateFalFlux,
  generateFalSeedream,
  generateReplicateFluxPro,
  generateReplicateFluxSchnell,
  generateOpenAi,
  generateComfyUi,
  editFalSeedream,
  editFalKontext,
  editFalQwen,
  editReplicateKontext,
  editOpenAi,
  videoFalKling,
  videoFalKlingTurbo,
  videoFalSeedance,
  videoReplicateSeedance,
  videoComfyUi,
  talkingFalOmnihuman,
  talkingFalFabric,
  textOpenAiChat,
  textOpenAiResponses,
  textReplicateLlama,
  audioFalStable,
  audioElevenLabsSound,
  audioElevenLabsMusic,
  logicIf,
  logicSwitch,
  merge,
  collect,
  delay,
  approval,
  group,
  stickyNote,
];

const NO_PORTS: ResolvedPorts = { inputs: [], outputs: [] };

/** The settings that decide which entries are shown. */
export type CatalogSettings = Pick<Settings, 'SANDBOX_MODELS'> &
  Partial<Pick<Settings, 'prices'>> &
  Partial<ProviderSettings> &
  CodecSettings;

interface Need {
  isMet(settings: CatalogSettings): boolean;
  /** Of a provider: what it is called, and the setting that configures it. */
  readonly provider?: readonly [name: string, setting: string];
}

const NEEDS: Readonly<Record<Requirement, Need>> = {
  sandbox: { isMet: settings => settings.SANDBOX_MODELS },
  codec: { isMet: settings => hasBackend(settings) },
  'sandbox-video': { isMet: settings => settings.SANDBOX_MODELS && hasBackend(settings) },
  fal: provider('fal', 'FAL_KEY'),
  replicate: provider('Replicate', 'REPLICATE_API_TOKEN'),
  openai: provider('OpenAI', 'OPENAI_API_KEY'),
  elevenlabs: provider('ElevenLabs', 'ELEVENLABS_API_KEY'),
  comfyui: provider('ComfyUI', 'COMFYUI_URL'),
  'speech-command': provider('A local speech engine', 'SPEECH_COMMAND'),
};

function provider(name: string, setting: keyof ProviderSettings): Need {
  return { isMet: settings => settings[setting] !== undefined, provider: [name, setting] };
}

/** Finds definitions as a service with these settings has them: at its prices, with its speech engines. */
export function makeFindNode(settings: CatalogSettings): typeof findNode {
  const byType = new Map(definitionsFor(settings).map(definition => [definition.entry.nodeType, definition]));
  return nodeType => byType.get(nodeType);
}

function definitionsFor(settings: CatalogSettings): readonly NodeDefinition[] {
  const engines = ENGINES.filter(engine => NEEDS[SPEECH_NEEDS[engine]].isMet(settings));
  const definitions = [...DEFINITIONS, makeSpeech(engines)];
  return definitions.map(definition => withPrices(definition, settings.prices ?? {}));
}

const WRITTEN = makeFindNode({ SANDBOX_MODELS: true });

/** The definition as the catalog was written: at no operator's prices, with no provider configured. */
export function findNode(nodeType: string): NodeDefinition | undefined {
  return WRITTEN(nodeType);
}

/** The catalog as lint, plan, layout and `GET /nodes` take it: entries whose requirement is not met are hidden. */
export function makeCatalog(settings: CatalogSettings): Catalog {
  const isMet = (need: Requirement | undefined): boolean => need === undefined || NEEDS[need].isMet(settings);
  const definitions = definitionsFor(settings);
  const entries = definitions.map(({ entry, requires }) =>
    isMet(requires({})) ? entry : { ...entry, hidden: true as const },
  );
  const byType = new Map(
    entries.map((entry, index) => [entry.nodeType, { entry, definition: definitions[index] }]),
  );
  return {
    entries,
    find: nodeType => byType.get(nodeType)?.entry,
    ports: (nodeType, config) => {
      const definition = byType.get(nodeType)?.definition;
      if (definition === undefined) return NO_PORTS;
      const need = definition.requires(config);
      const ports = definition.ports(config);
      return need === undefined || isMet(need) ? ports : { ...ports, ...explainNeed(need) };
    },
  };
}

function explainNeed(need: Requirement): Pick<ResolvedPorts, 'unavailable'> {
  const [name, setting] = NEEDS[need].provider ?? [];
  if (name === undefined) return {};
  return {
    unavailable: `${name} is not configured in this service (${setting}): choose another node, or ask its operator.`,
  };
}
