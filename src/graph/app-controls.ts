// Decides which control the form of an app has for an input.

export const CONTROLS = ['text', 'textarea', 'slider', 'choice', 'media', 'switch'] as const;
export type Control = (typeof CONTROLS)[number];

/** The controls that each type of input node allows. The first control is the default. */
export const CONTROLS_BY_TYPE: Readonly<Record<string, readonly Control[]>> = {
  'input:text': ['textarea', 'text', 'choice'],
  'input:number': ['text', 'slider', 'choice', 'switch'],
  'input:json': ['textarea', 'choice', 'switch'],
  'input:list': ['textarea'],
  'input:image': ['media'],
  'input:video': ['media'],
  'input:audio': ['media'],
};

interface ControlSettings {
  readonly control?: Control;
  readonly min?: number;
  readonly max?: number;
}

/** Returns the control of an input: the one in its settings, or the default of its node. */
export function getControl({ control, min, max }: ControlSettings, nodeType: string): Control {
  if (control !== undefined) return control;
  if (nodeType === 'input:number' && min !== undefined && max !== undefined) return 'slider';
  return CONTROLS_BY_TYPE[nodeType]?.[0] ?? 'text';
}
