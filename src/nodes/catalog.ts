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
import { speech } from './speech.ts';
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
  speech,
  logicIf,
  logicSwitch,
  merge,
  collect,
  delay,
  approval,
  group,
  stickyNote,
];

const BY_TYPE: ReadonlyMap<string, NodeDefinition> = new Map(
  DEFINITIONS.map(definition => [definition.entry.nodeType, definition]),
);

const NO_PORTS: ResolvedPorts = { inputs: [], outputs: [] };

/** The settings that decide which entries are shown. */
export type CatalogSettings = Pick<Settings, 'SANDBOX_MODELS'> &
  Partial<Pick<Settings, 'prices'>> &
  Partial<ProviderSettings> &
  CodecSettings;

const IS_MET: Readonly<Record<Requirement, (settings: CatalogSettings) => boolean>> = {
  sandbox: settings => settings.SANDBOX_MODELS,
  codec: settings => hasBackend(settings),
  'sandbox-video': settings => settings.SANDBOX_MODELS && hasBackend(settings),
  fal: settings => settings.FAL_KEY !== undefined,
  replicate: settings => settings.REPLICATE_API_TOKEN !== undefined,
  openai: settings => settings.OPENAI_API_KEY !== undefined,
  elevenlabs: settings => settings.ELEVENLABS_API_KEY !== undefined,
  comfyui: settings => settings.COMFYUI_URL !== undefined,
  speech: settings =>
    settings.SPEECH_COMMAND !== undefined || IS_MET.openai(settings) || IS_MET.elevenlabs(settings),
};

/** The definition with the prices that the catalog was written with. */
export function findNode(nodeType: string): NodeDefinition | undefined {
  return BY_TYPE.get(nodeType);
}

/** Finds definitions at the operator's prices. */
export function makeFindNode({ prices = {} }: CatalogSettings): typeof findNode {
  const byType = new Map(
    DEFINITIONS.map(definition => [definition.entry.nodeType, withPrices(definition, prices)]),
  );
  return nodeType => byType.get(nodeType);
}

/** The catalog as lint, plan, layout and `GET /nodes` take it: entries whose requirement is not met are hidden. */
export function makeCatalog(settings: CatalogSettings): Catalog {
  const find = makeFindNode(settings);
  const entries = DEFINITIONS.map(definition => {
    const { entry, requires } = find(definition.entry.nodeType) ?? definition;
    return requires === undefined || IS_MET[requires](settings) ? entry : { ...entry, hidden: true as const };
  });
  const byType = new Map(entries.map(entry => [entry.nodeType, entry]));
  return {
    entries,
    find: nodeType => byType.get(nodeType),
    ports: (nodeType, config) => find(nodeType)?.ports(config) ?? NO_PORTS,
  };
}
