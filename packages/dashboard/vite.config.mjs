import { defineConfig } from 'vite';

/** Modules of the form of a webhook, which the pages of webhooks alone need. */
const FORM = /\/src\/webhooks\/form\//;

/**
 * Chunks are few, because each is a request; left alone, rolldown makes one for each set of pages that share a module.
 * A module goes to the first of these that takes it, and a module that a single page needs stays with that page.
 */
const groups = [
  { debugName: 'main', name: neededBy('/src/main.tsx', 'main'), priority: 3 },
  { debugName: 'entry', name: neededBy('/src/session/start.tsx', 'entry'), priority: 2 },
  { debugName: 'app', name: (id) => (FORM.test(id) ? null : 'app'), minShareCount: 2, priority: 1 },
  { name: 'form', test: FORM, priority: 0 },
];

export default defineConfig({
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    target: 'es2022',
    // An asset inlined as a data: URL would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ['index.html', 'portal.html'],
      // Libraries mark their modules with "use client", which means nothing in a bundle. How long plugins take says how
      // busy the machine is.
      checks: { moduleLevelDirective: false, bundlerTimings: false },
      output: { codeSplitting: { groups } },
    },
    // The manifest tells the test which files a page loads. Users cannot read it, because dot files are not served.
    manifest: true,
    // The limits that count are those of the first load, compressed: test/bundle.tools.test.ts holds pages to them.
    chunkSizeWarningLimit: 1_000,
  },
});

/** Takes for the chunk of this name the modules that a script imports, directly or not, but for the script itself. */
function neededBy(script, name) {
  return (id, graph) => {
    const seen = new Set();
    const isNeeded = (module) => {
      if (module.endsWith(script)) return true;
      if (seen.has(module)) return false;
      seen.add(module);
      return graph.getModuleInfo(module)?.importers.some(isNeeded) ?? false;
    };
    return !id.endsWith(script) && isNeeded(id) ? name : null;
  };
}
