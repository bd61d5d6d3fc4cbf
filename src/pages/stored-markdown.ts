// Renders the markdown of content pages to the markup that is stored with them. Loads the libraries on first use.

/**
 * The markup is stored with the page so that readers do not wait for it. Increase `format` with every change to
 * markdown.ts that changes markup: markup of another format is rendered again.
 */
export const MARKDOWN = {
  format: 1,
  async render(parts: readonly string[]): Promise<string[]> {
    const { renderMarkdown } = await import('./markdown.ts');
    return parts.map(renderMarkdown);
  },
} as const;
