import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The door of a `gouji up` that runs beside `npm run dev`. */
const DOOR = process.env.GOUJI_DOOR ?? "http://127.0.0.1:8080";

/** Writes each text also gzipped beside itself, where the server finds it for browsers that take that. */
function gzipped(): Plugin {
  return {
    name: "gzipped",
    apply: "build",
    writeBundle({ dir = "." }, bundle) {
      for (const [name, file] of Object.entries(bundle)) {
        const text = file.type === "chunk" ? file.code : file.source;
        writeFileSync(join(dir, `${name}.gz`), gzipSync(text, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), gzipped()],
  resolve: { conditions: ["source", "module", "browser", "development|production"] },
  build: {
    outDir: "../services/gouji/gateway/web/dist",
    emptyOutDir: true,
    target: "es2022",
    // Icons and the rules stay files: the page may load from its own address alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/gouji.v1": DOOR } },
});
