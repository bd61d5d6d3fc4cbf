// Tests the tasks and families of the models that the service ships.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isModel } from '../../../src/graph/catalog.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';

const catalog = createNodeCatalog({ SANDBOX_MODELS: true });

describe('the facts of a model', () => {
  it('name its task and its family', () => {
    for (const [nodeType, task, family] of [
      ['generate:fal_flux_2_pro', 'make', 'FLUX'],
      ['generate:replicate_flux_pro', 'make', 'FLUX'],
      ['edit:fal_flux_pro_v1_1_ultra', 'make', 'FLUX'],
      ['edit:fal_bytedance_seedream_v4_5_edit', 'edit', 'Seedream'],
      ['edit:fal_bria_replace_background', 'edit', 'Bria'],
      ['edit:fal_topaz_upscale_image', 'upscale', 'Topaz'],
      ['video:fal_topaz_upscale_video', 'upscale', 'Topaz'],
      ['edit:fal_bria_background_remove', 'cutout', 'Bria'],
      ['video:fal_birefnet_v2_video', 'cutout', 'Birefnet'],
      ['video:fal_veo3_1', 'make', 'Veo'],
      ['video:fal_veo3_1_image_to_video', 'animate', 'Veo'],
      ['video:fal_kling', 'animate', 'Kling'],
      ['video:fal_kling_video_v3_pro_motion_control', 'animate', 'Kling'],
      ['talking:fal_wan_v2_6_image_to_video', 'animate', 'Wan'],
      ['video:fal_wan_v2_7_edit_video', 'edit', 'Wan'],
      ['talking:fal_bytedance_omnihuman', 'talk', 'OmniHuman'],
      ['audio:fal_elevenlabs_tts_eleven_v3', 'speak', 'ElevenLabs'],
      ['audio:elevenlabs_music', 'compose', 'ElevenLabs'],
      ['audio:fal_elevenlabs_voice_changer', 'edit', 'ElevenLabs'],
      ['text:fal_wizper', 'transcribe', 'Whisper'],
      ['text:fal_florence_2_large_ocr', 'describe', 'Florence'],
      ['text:openai_chat', 'write', 'OpenAI'],
      ['text:replicate_llama', 'write', 'Llama'],
    ] as const) {
      const entry = catalog.find(nodeType);
      assert.deepEqual([nodeType, entry?.task, entry?.family], [nodeType, task, family]);
    }
  });

  it('name the license of published weights', () => {
    for (const [nodeType, license] of [
      ['generate:fal_flux_schnell', 'Apache-2.0'],
      ['generate:replicate_flux_schnell', 'Apache-2.0'],
      ['generate:fal_flux_dev', 'FLUX.1 [dev] Non-Commercial License'],
      ['generate:fal_flux_2_pro', undefined],
      ['generate:fal_qwen_image', 'Apache-2.0'],
      ['generate:fal_qwen_image_max_text_to_image', undefined],
      ['edit:fal_birefnet_v2', 'MIT'],
      ['text:replicate_llama', 'Llama 3.1 Community License'],
      ['generate:fal_nano_banana', undefined],
    ] as const)
      assert.deepEqual([nodeType, catalog.find(nodeType)?.license], [nodeType, license]);
  });

  it('exist for models only', () => {
    for (const entry of catalog.entries)
      assert.equal(entry.task !== undefined && entry.family !== undefined, isModel(entry), entry.nodeType);
  });
});
