// Says what a model is for, its family and its license, and describes it, by its node type, label and ports.
import { type CatalogEntry, type InputDef, isModel, type ModelTask } from '../../graph/catalog.ts';
import type { NodeDefinition } from '../define.ts';
import { describeModel } from './describe-model.ts';
import { findLicense } from './model-licenses.ts';

/** Returns the definition with the task and the family of its model. */
export function withModelFacts(definition: NodeDefinition): NodeDefinition {
  const { entry } = definition;
  if (!isModel(entry)) return definition;
  const task = findTask(entry);
  const license = entry.license ?? findLicense(entry.nodeType);
  const facts = { ...entry, task, family: findFamily(entry), ...(license !== undefined && { license }) };
  // Other models have a description of their own.
  if (definition.model === undefined) return { ...definition, entry: facts };
  const description = [describeModel(entry, task), entry.description].filter(Boolean).join(' ');
  return { ...definition, entry: { ...facts, description } };
}

type ModelEntry = Pick<CatalogEntry, 'nodeType' | 'label' | 'inputs'>;

/** Tasks by a pattern of the node type. The first that matches counts, before the class of the node type. */
const TASKS: readonly (readonly [type: RegExp, task: ModelTask])[] = [
  [/upscal|aura_sr|seedvr/, 'upscale'],
  [/birefnet|background_remov/, 'cutout'],
  [/^(?:video|talking):.*(?:image_to_video|reference_to_video|frame_to_video|motion_control)/, 'animate'],
  [/^talking:/, 'talk'],
  [/^audio:.*(?:tts|speech|kokoro|chatterbox)/, 'speak'],
  [/^text:.*(?:whisper|wizper|speech_to_text)|_transcription$/, 'transcribe'],
];

function findTask({ nodeType, inputs }: ModelEntry): ModelTask {
  const known = TASKS.find(([type]) => type.test(nodeType));
  if (known !== undefined) return known[1];
  const needs = (...types: readonly InputDef['type'][]): boolean =>
    inputs.some(({ isPort, required, type }) => isPort && required === true && types.includes(type));
  switch (nodeType.split(':')[0]) {
    case 'text':
      return needs('IMAGE', 'LIST') ? 'describe' : 'write';
    case 'audio':
      return inputs.some(({ isPort, type }) => isPort && type !== 'TEXT') ? 'edit' : 'compose';
    case 'video':
      if (needs('VIDEO')) return 'edit';
      return needs('IMAGE', 'LIST') ? 'animate' : 'make';
    case 'edit':
      return needs('IMAGE', 'LIST') || /edit$|remix|replace/.test(nodeType) ? 'edit' : 'make';
    default:
      return 'make';
  }
}

/** Families whose name is not the first word of the label. The first pattern that the node type matches counts. */
const FAMILIES: readonly (readonly [type: RegExp, family: string])[] = [
  [/flux/, 'FLUX'],
  [/seedream/, 'Seedream'],
  [/seedance/, 'Seedance'],
  [/omnihuman/, 'OmniHuman'],
  [/nano_banana/, 'Nano Banana'],
  [/gpt_image/, 'GPT Image'],
  [/openai/, 'OpenAI'],
  [/imagen/, 'Imagen'],
  [/z_image/, 'Z-Image'],
  [/hailuo/, 'Hailuo'],
  [/grok|_xai_/, 'Grok'],
  [/minimax/, 'MiniMax'],
  [/ltx/, 'LTX'],
  [/elevenlabs/, 'ElevenLabs'],
  [/veed/, 'VEED'],
  [/fabric/, 'VEED'],
  [/stable_audio/, 'Stable Audio'],
  [/ace_step/, 'ACE-Step'],
  [/aura_sr/, 'AuraSR'],
  [/chatterbox/, 'Chatterbox'],
  [/clarity/, 'Clarity'],
  [/lyria/, 'Lyria'],
  [/moondream/, 'Moondream'],
  [/wizper/, 'Whisper'],
  [/openrouter/, 'OpenRouter'],
];

const findFamily = ({ nodeType, label }: ModelEntry): string =>
  FAMILIES.find(([type]) => type.test(nodeType))?.[1] ?? label.split(' ')[0] ?? label;
