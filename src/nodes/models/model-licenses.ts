// Says under which license the weights of a provider's model are published, for open models whose license is known.

const APACHE = 'Apache-2.0';
const MIT = 'MIT';
const FLUX_DEV = 'FLUX.1 [dev] Non-Commercial License';
const FLUX_2_DEV = 'FLUX Non-Commercial License';
const HUNYUAN = 'Tencent Hunyuan Community License';

/**
 * Licenses by a pattern of the node type. The first that matches counts. Models that are absent are closed, or their
 * license is not known here.
 */
const LICENSES: readonly (readonly [type: RegExp, license: string])[] = [
  [/_flux_schnell$/, APACHE],
  [/^generate:fal_flux_dev$|_flux_krea$|_flux_kontext_dev$/, FLUX_DEV],
  [/_flux_2(?:_edit)?$/, FLUX_2_DEV],
  [/:fal_qwen$|_qwen_image$|_qwen_image_2512$|_qwen_image_edit_2511$/, APACHE],
  [/_z_image_/, APACHE],
  [/_hunyuan_image_v3_|_hunyuan_video_v1_5_|_hunyuan_avatar$/, HUNYUAN],
  [/_seedvr_/, APACHE],
  [/_birefnet/, MIT],
  [/_ace_step/, APACHE],
  [/_chatterbox_/, MIT],
  [/_dia_tts$|_kokoro_/, APACHE],
  [/_whisper$|_wizper$/, MIT],
  [/_florence_2_/, MIT],
  [/:replicate_llama$/, 'Llama 3.1 Community License'],
];

export const findLicense = (nodeType: string): string | undefined =>
  LICENSES.find(([type]) => type.test(nodeType))?.[1];
