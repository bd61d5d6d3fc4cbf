// What each node type is run with: the settings that make the most work of the longest values at its ports.

const PATHS = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, `${index}`]));
const NAMES = Array.from({ length: 50 }, (_, index) => `k${index}`);
const TOKENS = Array.from({ length: 50 }, (_, index) => `{{k${index}}}`).join(' ');
/** About 20 million steps over a text of 450,000 characters. */
const REGEX = { mode: 'regex', find: '(a|b)*?c', replace: '$1' };

/** A node with settings of NODES. */
export interface NodePort {
  readonly nodeType: string;
  readonly config: object;
  /** Its ports that the probes have values for: id and type. */
  readonly ports: readonly (readonly [id: string, type: string])[];
}

/** Several settings: several runs. */
export const NODES: Readonly<Record<string, readonly object[]>> = {
  'output:preview': [{}],
  'output:gallery': [{}],
  'utility:prompt_concat': [{}],
  'utility:text_template': [{ template: TOKENS }],
  'utility:text_split': [{ separator: ' ' }, { separator: '' }, { separator: 'x' }],
  'utility:text_replace': [
    { mode: 'text', find: 'a', replace: 'b' },
    REGEX,
    { ...REGEX, find: '(\\w+) (\\w+)' },
  ],
  'utility:json_extract': [{ paths: PATHS }],
  // More than a run may record, and more than its record shows.
  'utility:json_build': [{ keys: NAMES }, { keys: NAMES.slice(0, 7) }],
  'utility:math': [{}],
  'utility:list_item': [{ index: 7 }],
  'utility:list_slice': [{ start: 0, end: 90 }],
  'utility:text_to_image_card': [{}],
  'logic:if': [
    { operator: 'equals', compare: '[1]' },
    { operator: 'contains', compare: 'zzz' },
    { operator: 'matches', compare: '(a|b)*?c' },
  ],
  'logic:switch': [{ cases: NAMES }],
  'logic:merge': [{}],
  'logic:collect': [{}],
  'logic:delay': [{ ms: 10 }],
  'logic:approval': [{}],
  'generate:sandbox': [{}],
};

/** Node types whose work on long values is elsewhere, by why. */
export const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'the sources of the other nodes': ['input:text', 'input:number', 'input:json', 'input:list'],
  'reads a file once, by a stream': ['input:image', 'input:video', 'input:audio'],
  'pixels are decoded and drawn by threads of libvips': [
    'utility:image_resize',
    'utility:image_crop',
    'utility:image_rotate',
    'utility:image_adjust',
    'utility:image_blur',
    'utility:image_composite',
    'utility:image_grid',
    'utility:image_convert',
    'utility:image_info',
  ],
  'decoded, encoded and drawn in processes and threads': [
    'utility:video_trim',
    'utility:video_concat',
    'utility:video_frame',
    'utility:video_info',
    'utility:audio_trim',
    'utility:audio_mix',
    'utility:audio_extract',
    'utility:audio_mux',
    'video:renderer',
    'edit:sandbox',
    'video:sandbox',
    'talking:sandbox',
  ],
  'reaches out: this test has no network': ['utility:http_request'],
  'never run': ['utility:group', 'utility:sticky_note'],
};

/** Draw one picture for each item of a list, in processes and threads: a list would only repeat it. */
export const DRAWING: readonly string[] = ['utility:text_to_image_card', 'generate:sandbox'];
