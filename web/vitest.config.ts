import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  ssr: { resolve: { conditions: ["source", "module", "node"] }, noExternal: ["@gouji/client"] },
  test: { include: ["test/**/*.test.{ts,tsx}", "sdk/test/**/*.test.ts"], environment: "node" },
});
