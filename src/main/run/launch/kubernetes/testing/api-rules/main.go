// Reads Kubernetes objects (YAML documents) as the API server does: strict decoding, defaults and its own validation, and the Pod
// Security Standard "restricted" for the pods of jobs. Prints what is wrong, an object a line; exit code 1 where something is.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	podsecurity "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

func validate(object runtime.Object) (string, field.ErrorList) {
	switch one := object.(type) {
	case *batch.Job:
		return "Job " + one.Name, batchvalidation.ValidateJob(one, batchvalidation.JobValidationOptions{RequirePrefixedLabels: true})
	case *core.Service:
		return "Service " + one.Name, corevalidation.ValidateServiceCreate(one)
	case *core.Secret:
		return "Secret " + one.Name, corevalidation.ValidateSecret(one)
	case *core.ConfigMap:
		return "ConfigMap " + one.Name, corevalidation.ValidateConfigMap(one)
	}
	return fmt.Sprintf("%T", object), field.ErrorList{field.InternalError(nil, errors.New("no validation for this kind"))}
}

func isRestricted(evaluator policy.Evaluator, object runtime.Object) []string {
	job, isJob := object.(*batchv1.Job)
	if !isJob {
		return nil
	}
	level := podsecurity.LevelVersion{Level: podsecurity.LevelRestricted, Version: podsecurity.LatestVersion()}
	var reasons []string
	for _, result := range evaluator.EvaluatePod(level, &job.Spec.Template.ObjectMeta, &job.Spec.Template.Spec) {
		if !result.Allowed {
			reasons = append(reasons, result.ForbiddenReason+": "+result.ForbiddenDetail)
		}
	}
	return reasons
}

func main() {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks())
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	decoder := serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewDocumentDecoder(os.Stdin)
	buffer := make([]byte, 8<<20)
	code := 0
	for {
		size, err := documents.Read(buffer)
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println("unreadable:", err)
			os.Exit(2)
		}
		// Its defaults are set here, as the API server does before it converts and validates.
		versioned, kind, err := decoder.Decode(buffer[:size], nil, nil)
		if err != nil {
			fmt.Println("not decoded:", err)
			code = 1
			continue
		}
		legacyscheme.Scheme.Default(versioned)
		internal, err := legacyscheme.Scheme.ConvertToVersion(versioned, runtime.InternalGroupVersioner)
		if err != nil {
			fmt.Println(kind, "not converted:", err)
			code = 1
			continue
		}
		name, problems := validate(internal)
		fmt.Printf("%s: %d problems\n", name, len(problems))
		for _, problem := range problems {
			fmt.Println("  " + problem.Error())
			code = 1
		}
		for _, reason := range isRestricted(evaluator, versioned) {
			fmt.Println("  not restricted: " + reason)
			code = 1
		}
	}
	os.Exit(code)
}
