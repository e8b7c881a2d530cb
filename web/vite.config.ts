import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The door of a `gouji up` that runs beside `npm run dev`. */
const DOOR = process.env.GOUJI_DOOR ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react()],
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
