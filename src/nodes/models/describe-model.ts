// Describes a model in words: what it makes of which inputs, by its task, node type and ports.
import type { CatalogEntry, ModelTask } from '../../graph/catalog.ts';

type ModelEntry = Pick<CatalogEntry, 'nodeType' | 'inputs' | 'outputs'>;

/** What an entry takes and makes, for the sentences. */
interface Facts {
  readonly nodeType: string;
  /** `an image`, `a video`, `a sound` or `text`. */
  readonly result: string;
  readonly hasPrompt: boolean;
  /** Returns whether a port whose id matches takes values of the type. */
  takes(type: 'IMAGE' | 'VIDEO' | 'AUDIO' | 'LIST', id?: RegExp): boolean;
}

/** Returns a sentence, such as "Changes an image as the prompt says." */
export function describeModel({ nodeType, inputs, outputs }: ModelEntry, task: ModelTask): string {
  const ports = inputs.filter(({ isPort }) => isPort);
  const isVector = /vector/.test(nodeType) && outputs[0]?.type === 'IMAGE';
  return SENTENCES[task]({
    nodeType,
    result: isVector ? 'a vector image' : (RESULTS[outputs[0]?.type ?? ''] ?? 'a result'),
    hasPrompt: inputs.some(({ id }) => /^(?:multi_)?prompt|^text$/.test(id)),
    takes: (type, id = /^/) => ports.some(port => port.type === type && id.test(port.id)),
  });
}

const RESULTS: Readonly<Record<string, string>> = {
  IMAGE: 'an image',
  LIST: 'images',
  VIDEO: 'a video',
  AUDIO: 'a sound',
  TEXT: 'text',
};

const SENTENCES: Readonly<Record<ModelTask, (facts: Facts) => string>> = {
  make: facts => {
    const sources = [facts.hasPrompt && 'a prompt', facts.takes('IMAGE') && 'an image'].filter(Boolean);
    return `Makes ${facts.result}${sources.length === 0 ? '' : ` from ${sources.join(' or ')}`}.`;
  },
  edit: describeEdit,
  upscale: ({ result }) => `Raises the resolution of ${result}.`,
  cutout: ({ result }) => `Removes the background of ${result}.`,
  animate: facts => {
    const { takes } = facts;
    const as = facts.hasPrompt ? ' as the prompt says' : '';
    const sound = takes('AUDIO') ? ', to a sound' : '';
    if (takes('VIDEO') && takes('IMAGE')) return `Moves what an image shows as in a video${sound}.`;
    if (takes('LIST')) return `Makes a video of what references show${as}${sound}.`;
    const end = takes('IMAGE', /^(?:end|last)|tail/) ? ', also up to an end image' : '';
    return `Animates an image${as}${end}${sound}.`;
  },
  talk: ({ takes, hasPrompt }) => {
    const words = takes('AUDIO') ? 'a recording' : hasPrompt ? 'a text' : 'words';
    if (takes('VIDEO')) return `Moves the lips in a video to ${words}.`;
    return takes('IMAGE')
      ? `Makes the person in an image speak ${words}.`
      : `Makes an avatar speak ${words}.`;
  },
  speak: ({ takes }) => `Reads a text aloud${takes('AUDIO') ? ', in the voice of a recording' : ''}.`,
  compose: ({ nodeType, hasPrompt }) => {
    const isMusic = /music|lyria|ace_step/.test(nodeType);
    const isSound = /sound|sfx|mmaudio/.test(nodeType);
    const result = isMusic ? 'music' : isSound ? 'sound effects' : 'music and sounds';
    return `Makes ${result}${hasPrompt ? ' from a prompt' : ''}.`;
  },
  transcribe: () => 'Writes down what is said in a recording.',
  describe: ({ hasPrompt, nodeType }) => {
    if (/ocr/.test(nodeType)) return 'Reads the text in an image.';
    return hasPrompt ? 'Answers questions about an image.' : 'Describes an image.';
  },
  write: ({ takes }) => `Writes text from a prompt${takes('IMAGE') || takes('LIST') ? ' and images' : ''}.`,
};

/** What special editing models do, by a pattern of the node type. The first that matches counts. */
const EDITS: readonly (readonly [type: RegExp, sentence: string])[] = [
  [/try_?on/, 'Dresses a person in a garment.'],
  [/eraser|object_remov/, 'Removes an object from an image.'],
  [/vectorize/, 'Turns an image into a vector image.'],
  [/background_replace|replace_background/, 'Replaces the background of an image.'],
  [/product_shot/, 'Shows a product in a new scene.'],
  [/expand|outpaint/, 'Extends an image beyond its edges.'],
  [/reframe/, 'Changes the format of a picture and fills the new space.'],
  [/voice_changer|voice_conversion/, 'Changes the voice of a recording.'],
  [/isolat|voice_remov/, 'Separates the voice of a recording from other sounds.'],
  [/^video:.*extend/, 'Continues a video.'],
  [/^video:.*(?:to_audio|mmaudio|foley)/, 'Adds sound to a video.'],
];

function describeEdit({ nodeType, result, hasPrompt, takes }: Facts): string {
  const special = EDITS.find(([type]) => type.test(nodeType));
  if (special !== undefined) return special[1];
  const as = hasPrompt ? ' as the prompt says' : '';
  if (takes('IMAGE', /mask/)) return `Changes the masked part of an image${as}.`;
  if (result === 'a sound') return `Changes a recording${as}.`;
  if (takes('LIST')) return `Changes or combines images${as}.`;
  return `Changes ${result}${as}.`;
}
