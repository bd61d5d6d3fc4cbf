// Tests that all models of the catalog are described in words, by what they take and make.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isModel } from '../../../src/graph/catalog.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';

const { entries, find } = createNodeCatalog({ SANDBOX_MODELS: true });

it('describes every model in sentences, without the address of its endpoint', () => {
  for (const { nodeType, description = '' } of entries.filter(isModel)) {
    assert.match(description, /^[A-Z].+\.$/, nodeType);
    assert.doesNotMatch(description, /(?:^\S+\/|POST )/, nodeType);
  }
});

it('says what a model takes and makes', () => {
  for (const [nodeType, description] of [
    ['generate:fal_flux_dev', 'Makes an image from a prompt.'],
    ['generate:fal_recraft_v4_text_to_vector', 'Makes a vector image from a prompt.'],
    ['edit:fal_flux_kontext', 'Changes an image as the prompt says.'],
    ['edit:fal_flux_2_edit', 'Changes or combines images as the prompt says.'],
    ['edit:fal_flux_pro_v1_fill', 'Changes the masked part of an image as the prompt says.'],
    ['edit:fal_birefnet', 'Removes the background of an image.'],
    ['video:fal_topaz_upscale_video', 'Raises the resolution of a video.'],
    [
      'video:fal_kling_video_v3_pro_image_to_video',
      'Animates an image as the prompt says, also up to an end image.',
    ],
    [
      'talking:fal_omnihuman',
      'Makes the person in an image speak a recording. Speech of up to 60 s at 720p, or 30 s at 1080p.',
    ],
    ['talking:fal_sync_lipsync_v2', 'Moves the lips in a video to a recording.'],
    ['audio:fal_kokoro_american_english', 'Reads a text aloud.'],
    ['audio:fal_lyria2', 'Makes music from a prompt.'],
    ['text:fal_whisper', 'Writes down what is said in a recording.'],
    ['text:replicate_llama', 'Writes text from a prompt.'],
  ] as const)
    assert.equal(find(nodeType)?.description, description, nodeType);
});
